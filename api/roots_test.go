package api

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// authority signs certificates for servers.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// certificate signs t, by itself when there is no authority yet.
func (a *authority) certificate(t *testing.T, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore = time.Now().Add(-time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	parent, signer := template, key
	if a.cert != nil {
		parent, signer = a.cert, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	var a authority
	a.cert, a.key = a.certificate(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return &a
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// server starts one whose certificate the authority signed.
func (a *authority) server(t *testing.T, h http.Handler, template *x509.Certificate) *httptest.Server {
	t.Helper()
	cert, key := a.certificate(t, template)
	s := httptest.NewUnstartedServer(h)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// loopback is a certificate for the address that test servers have.
func loopback() *x509.Certificate {
	return &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
}

func TestACompanysOwnAuthorityIsTrusted(t *testing.T) {
	var old atomic.Int64
	a := newAuthority(t, "Company CA")
	server := a.server(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			old.Add(1)
		}
		fine(w, r)
	}), loopback())
	c := dial(t, Options{BaseURL: server.URL, RootCAs: a.pool(), MaxRetries: new(int)})
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
	c.pool.renew()
	wantText(t, read(c.Stream(t.Context(), hello())), "fine")
	if old.Load() != 0 {
		t.Error("not over HTTP/2")
	}
}

func TestACertificateThatIsNotInOrderIsRefusedWithAnOwnAuthorityToo(t *testing.T) {
	a, stranger := newAuthority(t, "Company CA"), newAuthority(t, "Stranger CA")
	expired, elsewhere, client := loopback(), loopback(), loopback()
	expired.NotAfter = time.Now().Add(-time.Minute)
	elsewhere.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 2)}
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	var reached atomic.Int64
	count := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached.Add(1) })
	for name, c := range map[string]struct {
		server *httptest.Server
		want   string
	}{
		"another authority":   {stranger.server(t, count, loopback()), "unknown authority"},
		"expired":             {a.server(t, count, expired), "expired"},
		"of another address":  {a.server(t, count, elsewhere), "127.0.0.1"},
		"not for a server":    {a.server(t, count, client), "usage"},
		"of a name, not this": {a.server(t, count, &x509.Certificate{DNSNames: []string{"example.com"}}), "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			client := dial(t, Options{BaseURL: c.server.URL, RootCAs: a.pool(), Key: "wfr_secret_key"})
			o := read(client.Stream(t.Context(), hello()))
			if asError[*ConnectError](t, o.err); !strings.Contains(o.err.Error(), c.want) || len(o.retries) != 0 {
				t.Errorf("%v, %d retries", o.err, len(o.retries))
			}
			asError[*tls.CertificateVerificationError](t, o.err)
		})
	}
	if reached.Load() != 0 {
		t.Error("a server was reached")
	}
}

// TestSSLCertFileStaysTrustedBesideAnOwnAuthority runs in a process of its own,
// because the system's roots are read once.
func TestSSLCertFileStaysTrustedBesideAnOwnAuthority(t *testing.T) {
	if base := os.Getenv("API_TEST_SERVER"); base != "" {
		c := dial(t, Options{BaseURL: base, RootCAs: newAuthority(t, "Company CA").pool(), MaxRetries: new(int)})
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		return
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return // their roots come from no file
	}
	a := newAuthority(t, "System CA")
	file := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	again := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), "SSL_CERT_FILE="+file, "API_TEST_SERVER="+a.server(t, fine, loopback()).URL)
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAnUnknownAuthorityIsToldWithBothWaysToTrustIt(t *testing.T) {
	server := newAuthority(t, "Company CA").server(t, fine, loopback())
	for name, roots := range map[string]*x509.CertPool{"none": nil, "another": newAuthority(t, "Other CA").pool()} {
		c := dial(t, Options{BaseURL: server.URL, RootCAs: roots})
		o := read(c.Stream(t.Context(), hello()))
		line := asError[*ConnectError](t, o.err).Error()
		if !strings.Contains(line, "unknown authority") || !strings.Contains(line, "SSL_CERT_FILE") || !strings.Contains(line, "ca_file") || len(o.retries) != 0 {
			t.Errorf("%s: %s, %d retries", name, line, len(o.retries))
		}
	}
}
