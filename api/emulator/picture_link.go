package emulator

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// inspectLink decides by the address alone what the API would have done with an
// image URL, since nothing is ever fetched:
//
//   - what is not https, or leads to this machine, a private network or a name
//     without a dot, is an unsupported_value;
//   - a host under a name that is reserved for examples and tests (example,
//     example.com, example.net, example.org, invalid, test) cannot be fetched:
//     model_request_rejected;
//   - any other is accepted, and the answer says that it was not looked at.
func (p *picture) inspectLink() *fault {
	u, err := url.Parse(p.url)
	if err != nil || !strings.EqualFold(u.Scheme, "https") || u.Hostname() == "" {
		return unsupported(p.param, "An image must be a data URI or a public https URL.")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if isPrivate(host) {
		return unsupported(p.param, "An image URL must not point to a private network.")
	}
	if under(host, "example", "example.com", "example.net", "example.org", "invalid", "test") {
		return p.reject("The image at " + excerpt(host, 60) + " could not be fetched.")
	}
	p.note = "an image by URL, which the demo does not fetch"
	return nil
}

// isPrivate tells whether a host, in lower case, is no public one.
func isPrivate(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap().WithZone("")
		shared := netip.MustParsePrefix("100.64.0.0/10")
		return !ip.IsGlobalUnicast() || ip.IsPrivate() || shared.Contains(ip)
	}
	dot := strings.LastIndexByte(host, '.')
	last := host[dot+1:]
	// Browsers and resolvers read 127.1 and 0x7f.1 as addresses.
	numeric := last == "" || last[0] >= '0' && last[0] <= '9'
	return dot < 0 || numeric || under(host, "localhost", "local", "internal", "lan", "home.arpa", "intranet")
}

// under tells whether a host is one of the domains or in one of them.
func under(host string, domains ...string) bool {
	return slices.ContainsFunc(domains, func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) })
}
