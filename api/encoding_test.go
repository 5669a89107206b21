package api

import (
	"strings"
	"testing"
)

func TestACompressionThatCannotBeReadIsNamed(t *testing.T) {
	garbage := "\x1b\x0f\x00\xf8\x9d\x09\x8b"
	for name, c := range map[string]struct {
		status  int
		headers []string
		want    string
	}{
		"an answer":        {200, []string{"Content-Type: text/event-stream", "Content-Encoding: br"}, "server error: the answer is compressed with br, which was not asked for and cannot be read"},
		"a whole answer":   {200, []string{"Content-Type: application/json", "Content-Encoding: zstd"}, "server error: the answer is compressed with zstd, which was not asked for and cannot be read"},
		"a refusal":        {401, []string{"Content-Encoding: BR", "X-Request-Id: req_1"}, "401: the answer is compressed with br, which was not asked for and cannot be read (request req_1)"},
		"several":          {200, []string{"Content-Encoding: gzip, br"}, "server error: the answer is compressed with gzip, br, which was not asked for and cannot be read"},
		"several headers":  {200, []string{"Content-Encoding: gzip", "Content-Encoding: gzip"}, "server error: the answer is compressed with gzip, gzip, which was not asked for and cannot be read"},
		"an escape code":   {200, []string{"Content-Encoding: \x1b[31mx"}, "server error: the answer is compressed with x, which was not asked for and cannot be read"},
		"where it leads":   {301, []string{"Content-Encoding: br", "Location: https://there.test/v1"}, "301: the server redirects to https://there.test/v1: nothing was sent there, check the base URL: the answer is compressed with br, which was not asked for and cannot be read"},
		"a name of length": {200, []string{"Content-Encoding: " + strings.Repeat("x", 500)}, "server error: the answer is compressed with " + strings.Repeat("x", 40) + "…, which was not asked for and cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			client, server := newTestClient(t, Options{}, answer(c.status, c.headers, garbage))
			err := read(client.Stream(t.Context(), hello())).err
			if e := asError[*Error](t, err); e.Error() != c.want || e.Encoding == "" || server.count() != 1 {
				t.Errorf("%s\nwant %s, %d requests", e, c.want, server.count())
			}
			_, err = client.Models(t.Context())
			if e := asError[*Error](t, err); e.Encoding == "" {
				t.Errorf("the catalogue: %v", err)
			}
		})
	}
	for _, fine := range []string{"", "identity", "Identity, identity"} {
		client, _ := newTestClient(t, Options{}, answer(200, []string{"Content-Type: text/event-stream", "Content-Encoding: " + fine}, documentStream))
		wantText(t, read(client.Stream(t.Context(), hello())), "1, 2, 3, 4, 5")
	}
}
