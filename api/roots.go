package api

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// trusting makes a configuration that trusts the system's roots, which
// SSL_CERT_FILE can replace, and those of extra. host is the server's name, for
// when it is an address: the handshake then carries none. nil trusts the
// system's roots alone, in the usual way.
//
// Two pools cannot be joined into one, so the certificate is verified here, once
// against each. An encrypted proxy that is named by its address is held against
// the server's name and refused.
func trusting(extra *x509.CertPool, host string) *tls.Config {
	if extra == nil {
		return nil
	}
	return &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // verified by the next line, resumed connections too
		VerifyConnection: func(c tls.ConnectionState) error {
			return verify(c.PeerCertificates, cmp.Or(c.ServerName, host), extra)
		},
	}
}

// verify does what a handshake does, for two sets of roots: either will do.
func verify(chain []*x509.Certificate, host string, extra *x509.CertPool) error {
	if len(chain) == 0 || host == "" {
		return errors.New("verify certificate: the server showed none")
	}
	o := x509.VerifyOptions{DNSName: host, Intermediates: x509.NewCertPool()}
	for _, c := range chain[1:] {
		o.Intermediates.AddCert(c)
	}
	_, err := chain[0].Verify(o)
	if err == nil {
		return nil
	}
	o.Roots = extra
	_, again := chain[0].Verify(o)
	if again == nil {
		return nil
	}
	// Who signed it is known: what else is wrong says more.
	if stranger := (x509.UnknownAuthorityError{}); !errors.As(again, &stranger) {
		err = again
	}
	return &tls.CertificateVerificationError{UnverifiedCertificates: chain, Err: err}
}
