package cli

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"waferchat/api/emulator"
)

// openServer answers anybody, as any model.
func openServer() emulator.Options { return emulator.Options{Profile: emulator.Strict} }

// authorized counts the requests that came with a key. The emulator's record
// says only whether it was the right one.
func authorized(s *emulator.Running) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Header.Get("Authorization")+r.Header.Get("X-Api-Key") != "" {
			n++
		}
	}
	return n
}

func TestAStoredKeyGoesOnlyToItsHost(t *testing.T) {
	h := newHome(t)
	other := h.serve(openServer())
	delete(h.env, "WAFER_API_KEY")
	h.pipe("  Bearer "+secret+" \n", "key", "set").want(t, 0, "", "is kept in the system's keyring")
	h.run("-p", "--no-save", "hi").status0(t)
	h.run("-p", "--no-save", "--base-url", other.URL, "hi").status0(t)
	if authorized(other) > 0 {
		t.Error("the other host got a key")
	}
	if authorized(h.server) == 0 {
		t.Error("its own host got none")
	}
	h.run("key", "status").want(t, 0, hostOf(h.server)+": from the system's keyring\n", "")
	h.run("key", "delete").want(t, 0, "", "is gone from the system's keyring")
	h.run("key", "status").want(t, 1, "", "there is no key for "+hostOf(h.server))
	h.run("key", "delete").want(t, 1, "", "no key is stored")
}

func hostOf(s *emulator.Running) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/v1")
}

func (r result) status0(t *testing.T) {
	t.Helper()
	if r.status != 0 {
		t.Errorf("status %d, stderr %q", r.status, r.err)
	}
}

func TestAKeyFromTheEnvironmentStaysWithItsHost(t *testing.T) {
	h := newHome(t)
	other := h.serve(openServer())
	h.run("-p", "--no-save", "--base-url", other.URL, "hi").status0(t)
	h.env["OPENAI_API_KEY"] = secret
	h.run("-p", "--no-save", "--base-url", other.URL, "hi").status0(t)
	if authorized(other) > 0 {
		t.Error("the other host got a key")
	}
	h.run("key", "status", "--base-url", other.URL).want(t, 1, "", "it was given for "+hostOf(h.server))
	delete(h.env, "WAFER_API_KEY")
	delete(h.env, "WAFER_BASE_URL")
	h.env["OPENAI_BASE_URL"] = h.server.URL
	h.run("-p", "--no-save", "-m", "x", "hi").status0(t)
}

func TestWithoutAKeyNothingIsSentToWafer(t *testing.T) {
	h := newHome(t)
	delete(h.env, "WAFER_BASE_URL")
	delete(h.env, "WAFER_API_KEY")
	h.run("-p", "hi").want(t, 1, "", "there is no API key for pass.wafer.ai: set WAFER_API_KEY")
}

func TestAnImpossibleKeyIsRefusedByItsName(t *testing.T) {
	h := newHome(t)
	h.env["WAFER_API_KEY"] = secret + " and more"
	h.run("-p", "hi").want(t, 1, "", "WAFER_API_KEY holds no usable API key")
	h.env["WAFER_API_KEY"] = " \"Bearer " + secret + "\" "
	h.run("-p", "--no-save", "hi").status0(t)
}

func TestAnOddKeyOrAddressIsUnderstood(t *testing.T) {
	h := newHome(t)
	host := hostOf(h.server)
	sent := 0
	try := func(key, base string) {
		t.Helper()
		h.env["WAFER_API_KEY"], h.env["WAFER_BASE_URL"] = key, base
		r := h.run("-p", "--no-save", "-m", "GLM-5.3", "hi")
		if sent++; r.status != 0 || r.err != "" || len(asked(t, h.server)) != sent {
			t.Errorf("%q: %+v", base, r)
		}
	}
	for _, key := range []string{
		secret + "\n", secret + "\r\n", "\ufeff" + secret, " " + secret + "\t", `"` + secret + `"`, "'" + secret + "'", "“" + secret + "”",
		"Bearer " + secret, "bearer  " + secret + "\n", "\"Bearer " + secret + "\"\n", "Authorization: Bearer " + secret,
	} {
		try(key, h.server.URL)
	}
	for _, base := range []string{
		"http://" + host, "http://" + host + "/", "http://" + host + "/v1/", "http://" + host + "/v1/chat/completions", "http://" + host + "/v1/chat/completions/",
		"http://" + host + "/v1/models", "HTTP://" + host + "/v1", " http://" + host + "/v1\n", `"http://` + host + `/v1"`, "'http://" + host + "/v1'",
		"<http://" + host + "/v1>", "“http://" + host + "/v1”", "\ufeffhttp://" + host + "/v1", host, host + "/v1", host + "/v1/chat/completions",
	} {
		try(secret, base)
	}
}

func TestAnImpossibleKeyOrAddressIsRefusedByItsSource(t *testing.T) {
	h := newHome(t)
	for _, key := range []string{secret + " b", secret + "\nb", secret + "\x01", "<" + secret + ">", "$" + secret, secret + "é"} {
		h.env["WAFER_API_KEY"] = key
		h.run("-p", "hi").want(t, 1, "", "WAFER_API_KEY holds no usable API key")
	}
	h.env["WAFER_API_KEY"] = secret
	h.pipe(secret+" b\n", "key", "set").want(t, 1, "", "waferchat: ")
	for _, base := range []string{"ftp://" + secret, secret, "https://", "http://" + secret + " .test", "https://u:" + secret + "@"} {
		h.env["WAFER_BASE_URL"] = base
		h.run("-p", "hi").want(t, 2, "", "WAFER_BASE_URL ")
		h.env["WAFER_BASE_URL"] = h.server.URL
		h.run("-p", "--base-url", base, "hi").want(t, 2, "", "--base-url ")
		file := h.write("base_url = \""+base+"\"\n", "c.secret")
		delete(h.env, "WAFER_BASE_URL")
		h.run("-p", "--config", file, "hi").want(t, 2, "", file+":1:1: base_url ")
	}
	if len(asked(t, h.server)) > 0 || authorized(h.server) > 0 {
		t.Error("something was sent")
	}
}

func TestAKeyCommandIsRunForItsProfile(t *testing.T) {
	h := newHome(t)
	h.write(secret+"\n", "key.secret")
	h.write("[profile.work]\nbase_url = \""+h.server.URL+"\"\nkey_command = \"cat "+h.file("key.secret")+"\"\n"+
		"[profile.broken]\nbase_url = \""+h.server.URL+"\"\nkey_command = \"echo locked >&2; exit 1\"\n", "config", "waferchat", "config.toml")
	delete(h.env, "WAFER_API_KEY")
	delete(h.env, "WAFER_BASE_URL")
	h.run("-p", "-m", "x", "--profile", "work", "hi").status0(t)
	h.run("-p", "-c", "the session remembers its profile").status0(t)
	h.run("-p", "--no-save", "-m", "x", "--profile", "broken", "hi").want(t, 1, "", "run key_command: exit status 1: locked")
}

func TestWithoutAKeyringTheKeyGoesToAPrivateFile(t *testing.T) {
	h := newHome(t)
	h.ring.err = errors.New("no bus")
	delete(h.env, "WAFER_API_KEY")
	file := h.file("config", "waferchat", "keys.json")
	h.pipe(secret, "key", "set").want(t, 0, "", "is kept in "+file)
	if st, err := os.Stat(file); err != nil || st.Mode() != 0o600 {
		t.Error(st, err)
	}
	h.run("-p", "--no-save", "hi").status0(t)
}

func TestAKeyringThatHangsDelaysByTwoSecondsOnly(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := &ring{hang: make(chan struct{})}
		defer close(r.hang)
		p := newProgram(System{Getenv: func(k string) string {
			return map[string]string{"HOME": dir, "WAFER_BASE_URL": "http://127.0.0.1:1/v1"}[k]
		}, Keyring: r})
		if err := p.setup(); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		key, _, err := p.findKey(t.Context(), p.config.BaseURL)
		if key != "" || err != nil || time.Since(start) != 2*time.Second {
			t.Error(key, err, time.Since(start))
		}
		where, err := p.keepKey(t.Context(), p.config.BaseURL, secret)
		if err != nil || !strings.HasSuffix(where, "keys.json") || time.Since(start) != 2*time.Second {
			t.Error(where, err, time.Since(start))
		}
	})
}

func TestAServerThatRepeatsTheKeyDoesNotGetItOntoTheScreen(t *testing.T) {
	h := newHome(t)
	h.server.Script(emulator.Err(401, "invalid_api_key", "Incorrect API key provided: "+secret))
	h.run("-p", "--log-level", "debug", "hi").want(t, 1, "", "waferchat: ")
	if data, err := os.ReadFile(h.file("state", "waferchat", "waferchat.log")); err != nil || len(data) == 0 {
		t.Error("there is no log", err)
	}
}

func TestUserinfoIsNeverPrinted(t *testing.T) {
	h := newHome(t)
	h.env["WAFER_BASE_URL"] = "http://user:" + secret + "@127.0.0.1:1/v1"
	h.env["WAFER_API_KEY"] = ""
	for _, args := range [][]string{{"-p", "--log-level", "debug", "hi"}, {"config", "show"}, {"-p", "--dry-run", "hi"}, {"key", "status"}, {"models"}} {
		h.run(append(args, "--config", h.write("max_retries = 0", "c.toml"))...)
	}
}
