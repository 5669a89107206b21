package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"waferchat/api/emulator"
	"waferchat/config"
	"waferchat/session"
)

func TestModelsListsAndKeepsThem(t *testing.T) {
	h := newHome(t)
	r := h.run("models")
	if r.status != 0 || r.err != "" || !strings.Contains(r.out, "GLM-5.3") || !strings.Contains(r.out, "1048576") {
		t.Fatalf("%+v", r)
	}
	file := h.file("cache", "waferchat", "models-"+strings.ReplaceAll(hostOf(h.server), ":", "_")+".json")
	if st, err := os.Stat(file); err != nil || st.Mode() != 0o600 {
		t.Error(st, err)
	}
	var list []struct {
		ID      string
		Context int64
		Prices  map[string]int64
	}
	if r := h.run("models", "--json"); json.Unmarshal([]byte(r.out), &list) != nil || list[0].ID != "GLM-5.3" || list[0].Prices["input"] != 29_000_000 {
		t.Errorf("%+v", list)
	}
	for _, bad := range []emulator.Reply{
		emulator.Err(400, "x", "broken"), emulator.Body(200, "text/html", "<html>"), emulator.Body(200, "application/json", `{"data":null}`),
	} {
		h.server.ScriptModels(bad)
		if r := h.run("models"); r.status != 0 || !strings.Contains(r.out, "GLM-5.3") || !strings.Contains(r.err, "this is the list of a moment ago") {
			t.Errorf("cached: %+v", r)
		}
	}
	fresh := newHome(t)
	fresh.server.ScriptModels(emulator.Body(200, "application/json", `{"data":null}`))
	fresh.run("models").want(t, 1, "", "waferchat: ")
}

func TestTheFirstListedModelIsUsedOnAnUnknownServer(t *testing.T) {
	h := newHome(t)
	delete(h.env, "WAFER_BASE_URL")
	delete(h.env, "WAFER_API_KEY")
	local := h.serve(openServer())
	local.ScriptModels(emulator.Body(200, "application/json", `{"data":[{"id":"llama"},{"id":"other"}]}`))
	h.run("-p", "--base-url", local.URL, "hi").status0(t)
	h.run("-p", "--base-url", local.URL, "again").status0(t)
	got := asked(t, local)
	if got[0].Model != "llama" || got[1].Model != "llama" {
		t.Errorf("%+v", got)
	}
	lists := 0
	for _, r := range local.Requests() {
		if r.Method == http.MethodGet {
			lists++
		}
	}
	if lists != 1 {
		t.Errorf("the list was asked for %d times", lists)
	}
}

func TestSessionsAreListedAndShown(t *testing.T) {
	h := newHome(t)
	h.run("sessions", "list").want(t, 0, "", "there are no sessions yet")
	h.run("sessions", "list", "--json").want(t, 0, "[]\n", "")
	h.run("sessions", "path").want(t, 0, h.file("data", "waferchat", "sessions.db")+"\n", "")
	if _, err := os.Stat(h.file("data")); err == nil {
		t.Error("looking made a store")
	}
	h.server.Script(answer("the answer"))
	h.run("-p", "-m", "some-model", "the \x1bquestion").status0(t)
	s := h.list()[0]
	id, _ := s["id"].(string)
	if id == "" || s["model"] != "some-model" || s["turns"] != 1.0 || s["updated"] == "" || s["title"] == nil {
		t.Errorf("%v", s)
	}
	if r := h.run("sessions", "list"); r.status != 0 || !strings.Contains(r.out, id) || !strings.Contains(r.out, "question") || strings.Contains(r.out, "\x1b") {
		t.Errorf("%+v", r)
	}
	if r := h.run("sessions", "show", id[:6]); r.status != 0 || !strings.Contains(r.out, "the question") || !strings.Contains(r.out, "the answer") {
		t.Errorf("%+v", r)
	}
	var shown struct{ Messages []struct{ Role, Text string } }
	if r := h.run("sessions", "show", "--json", id); json.Unmarshal([]byte(r.out), &shown) != nil || len(shown.Messages) != 2 || shown.Messages[1].Text != "the answer" {
		t.Errorf("%+v", shown)
	}
	h.run("sessions", "delete", id).want(t, 0, "", "is deleted")
	h.run("sessions", "list", "--json").want(t, 0, "[]\n", "")
	h.run("sessions", "show", "nothing").want(t, 1, "", `no session matches "nothing"`)
}

func TestASessionInUseIsNotTouched(t *testing.T) {
	h := newHome(t)
	h.run("-p", "hi").status0(t)
	store, err := session.Open(t.Context(), h.file("data", "waferchat", "sessions.db"), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	v, err := store.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lock, err := store.Lock(t.Context(), v.ID)
	if err != nil {
		t.Fatal(err)
	}
	before := len(asked(t, h.server))
	if r := h.run("sessions", "delete", string(v.ID)); r.status != 1 {
		t.Errorf("%+v", r)
	}
	if r := h.run("-p", "-c", "more"); r.status != 1 || r.out != "" || !strings.HasPrefix(r.err, "waferchat: ") {
		t.Errorf("%+v", r)
	}
	if len(asked(t, h.server)) != before {
		t.Error("something was sent")
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	h.run("-p", "-c", "more").status0(t)
}

func TestTheConfigurationIsShownCheckedAndBegun(t *testing.T) {
	h := newHome(t)
	file := h.file("config", "waferchat", "config.toml")
	h.run("config", "path").want(t, 0, file+"\n", "")
	h.run("config", "init").want(t, 0, file+"\n", "")
	h.run("config", "check").want(t, 0, "", "in order")
	h.write("# mine\nmodle = 1\n", "config", "waferchat", "config.toml")
	h.run("config", "init").want(t, 1, "", "stays as it is")
	h.run("config", "check").want(t, 2, "", file+`:2:1: unknown option "modle"; did you mean "model"?`)
	r := h.run("config", "show", "-m")
	if r.status != 2 {
		t.Errorf("%+v", r)
	}
	r = h.run("config", "show", "--base-url", "http://127.0.0.1:9/v1")
	if r.status != 0 || !strings.Contains(r.out, "base_url") || !strings.Contains(r.out, "# --base-url") || !strings.Contains(r.err, ":2:1:") {
		t.Errorf("%+v", r)
	}
	if data, _ := os.ReadFile(file); string(data) != "# mine\nmodle = 1\n" {
		t.Errorf("the file was changed: %q", data)
	}
}

func TestABrokenConfigurationIsToldAndTheRestCounts(t *testing.T) {
	h := newHome(t)
	file := h.write("model = \"from the file\"\neffort = = \n", "config", "waferchat", "config.toml")
	h.server.Script(answer("hello"))
	h.run("-p", "hi").want(t, 0, "hello\n", file+":2:")
	if got := asked(t, h.server)[0]; got.Model != "from the file" {
		t.Errorf("%+v", got)
	}
	delete(h.env, "WAFER_BASE_URL")
	h.write("base_url = http://private/v1\n", "config", "waferchat", "config.toml")
	h.run("-p", "hi").want(t, 2, "", "nothing is sent while it is unclear where to")
}

func TestServeDemoServesUntilInterrupted(t *testing.T) {
	h := newHome(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	done := make(chan result, 1)
	go func() { done <- h.start(ctx, nil, w, "serve-demo") }()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(strings.TrimSpace(line) + "/models")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
	cancel()
	if res := <-done; res.status != 0 {
		t.Errorf("%+v", res)
	}
	h.run("serve-demo", "--addr", "nowhere:x").want(t, 1, "", "listen for the emulator")
}

func TestAnUnencryptedServerIsWarnedOf(t *testing.T) {
	h := newHome(t)
	h.run("--dry-run", "--base-url", "http://10.0.0.1/v1", "-m", "x", "hi").status0(t)
	if r := h.run("--dry-run", "--base-url", "http://10.0.0.1/v1", "-m", "x", "hi"); !strings.Contains(r.err, "10.0.0.1:80 is not encrypted") {
		t.Errorf("%+v", r)
	}
}

func TestTheLogIsPrivateAndPutAside(t *testing.T) {
	h := newHome(t)
	log := h.write(strings.Repeat("x", logLimit+1), "state", "waferchat", "waferchat.log")
	h.run("-p", "--no-save", "--log-level", "info", "hi").status0(t)
	if st, err := os.Stat(log + ".1"); err != nil || st.Size() != logLimit+1 {
		t.Error(st, err)
	}
	st, err := os.Stat(log)
	if err != nil || st.Mode() != 0o600 || st.Size() == 0 {
		t.Error(st, err)
	}
}

func TestACrashTellsWhereTheDetailsAre(t *testing.T) {
	h := newHome(t)
	getenv := func(k string) string { return h.env[k] }
	log := h.file("state", "waferchat", "waferchat.log")
	if msg := Crash(getenv, "boom", []byte("trace")); !strings.Contains(msg, log) {
		t.Error(msg)
	}
	if data, err := os.ReadFile(log); err != nil || !strings.Contains(string(data), "panic: boom\n\ntrace") {
		t.Error(string(data), err)
	}
	if msg := Crash(func(string) string { return "" }, "boom", []byte("trace")); !strings.Contains(msg, "boom") || !strings.Contains(msg, "trace") {
		t.Error(msg)
	}
	if _, err := config.FindPaths(func(string) string { return "" }, goos); !errors.Is(err, config.ErrNoHome) {
		t.Error(err)
	}
}
