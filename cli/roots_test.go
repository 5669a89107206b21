package cli

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// tlsServer is a server whose certificate no system trusts, with a list of one
// model, and the certificate in PEM form.
func tlsServer(t *testing.T) (url, certificate string) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"data":[{"id":"inside"}]}`)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

func TestACertificateFileMakesAServerTrusted(t *testing.T) {
	h := newHome(t)
	url, certificate := tlsServer(t)
	h.run("models", "--base-url", url).want(t, 1, "", "certificate")
	h.write("# ours\n\n"+certificate, "config", "waferchat", "certs", "ca.pem")
	h.write("ca_file = \"certs/ca.pem\"\n[profile.other]\nca_file = \"~/none.pem\"\n", "config", "waferchat", "config.toml")
	if r := h.run("models", "--base-url", url); r.status != 0 || !strings.Contains(r.out, "inside") {
		t.Errorf("%+v", r)
	}
	h.env["HOME"] = h.file("home")
	h.run("models", "--profile", "other", "--base-url", url).want(t, 2, "", h.file("home", "none.pem")+" cannot be read: no such file")
	h.run("config", "check").want(t, 2, "", h.file("config", "waferchat", "config.toml")+":3:1: ca_file "+h.file("home", "none.pem")+" cannot be read")
}

func TestABrokenCertificateFileIsNamed(t *testing.T) {
	_, certificate := tlsServer(t)
	bad := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("nonsense")}))
	for _, tt := range []struct{ text, want string }{
		{"", "holds no certificate in PEM form"},
		{"binary \x30\x82", "holds no certificate in PEM form"},
		{string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})), "holds no certificate in PEM form"},
		{certificate + bad, "certificate 2 is broken"},
	} {
		h := newHome(t)
		file := h.write(tt.text, "ca.pem")
		config := h.write("ca_file = '"+file+"'\n", "config", "waferchat", "config.toml")
		h.run("-p", "hi").want(t, 2, "", "ca_file "+file)
		h.run("-p", "hi").want(t, 2, "", config+":1")
		h.run("config", "check").want(t, 2, "", config+":1:1: ca_file "+file)
		h.run("config", "check").want(t, 2, "", tt.want)
		if len(h.server.Requests()) > 0 {
			t.Error("something was sent")
		}
		h.run("--demo", "-p", "--no-save", "hi").status0(t)
	}
}

func TestAConfigurationWithAGoodCertificateFileIsInOrder(t *testing.T) {
	h := newHome(t)
	_, certificate := tlsServer(t)
	h.write(certificate, "config", "waferchat", "ca.pem")
	h.write("[profile.work]\nca_file = \"ca.pem\"\n", "config", "waferchat", "config.toml")
	h.run("config", "check").want(t, 0, "", "in order")
}
