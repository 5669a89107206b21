package api

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"time"
)

// No request of a stream asks for a compressed answer, but some gateways compress
// all the same.

// encodings are the compressions of a body in the order they were applied,
// without those that change nothing.
func encodings(h http.Header) []string {
	var all []string
	for name := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
			all = append(all, name)
		}
	}
	return all
}

func isGzip(name string) bool { return name == "gzip" || name == "x-gzip" }

// unreadable names the compression of a body that cannot be undone, "" when it
// can be or there is none.
func unreadable(resp *http.Response) string {
	all := encodings(resp.Header)
	if len(all) == 0 || len(all) == 1 && isGzip(all[0]) {
		return ""
	}
	return scrub(strings.Join(all, ", "), "", 40)
}

// encodedError is the error of a response whose body cannot be read. What its
// headers say still counts.
func encodedError(resp *http.Response, coding string, key Key) *Error {
	e := decodeError(resp.StatusCode, resp.Header, nil, key, time.Now())
	if e.Encoding = coding; e.Status < 300 || e.Status > 399 { // where it redirects to is in a header
		e.Message = ""
	}
	return e
}

// decompressed undoes a compression that was not asked for.
func decompressed(resp *http.Response, body io.Reader) io.Reader {
	if len(encodings(resp.Header)) == 0 {
		return body
	}
	return &gzipReader{body: body}
}

// gzipReader reads the header of the compression with the first bytes only.
type gzipReader struct {
	body io.Reader
	zip  *gzip.Reader
}

func (r *gzipReader) Read(p []byte) (int, error) {
	if r.zip == nil {
		zip, err := gzip.NewReader(r.body)
		if err != nil {
			return 0, err
		}
		r.zip = zip
	}
	return r.zip.Read(p)
}
