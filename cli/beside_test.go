package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"waferchat/api/emulator"
	"waferchat/chat"
)

// listsAsked counts the requests for the list of models.
func listsAsked(s *emulator.Running) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Method == http.MethodGet {
			n++
		}
	}
	return n
}

// listFile is where the list of the home's server is kept.
func (h *home) listFile() string {
	return h.file("cache", "waferchat", "models-"+strings.ReplaceAll(hostOf(h.server), ":", "_")+".json")
}

// ageList makes the kept list older.
func (h *home) ageList(d time.Duration) {
	h.t.Helper()
	var kept cachedCatalogue
	data, err := os.ReadFile(h.listFile())
	if err != nil || json.Unmarshal(data, &kept) != nil {
		h.t.Fatal(err, string(data))
	}
	kept.Fetched = time.Now().Add(-d)
	if data, err = json.Marshal(kept); err != nil || os.WriteFile(h.listFile(), data, 0o600) != nil {
		h.t.Fatal(err)
	}
}

func TestTheFirstAnswerBringsTheModelListAlong(t *testing.T) {
	h := newHome(t)
	script := emulator.Stream(emulator.C("ok"), emulator.F("stop"), emulator.Usage(1000, 100, 400, 30), emulator.D)
	h.server.Script(script, script)
	h.run("-p", "-m", "glm-5.3", "hi").want(t, 0, "ok\n", "")
	got := h.server.Requests()
	if len(got) != 2 || got[0].Method != http.MethodPost || got[1].Method != http.MethodGet {
		t.Fatalf("the answer is asked for first, then the list: %d requests", len(got))
	}
	r := h.run("--output", "json", "-m", "glm-5.3", "hi")
	if r.status != 0 || !strings.Contains(r.out, `"cost":70836`) || !strings.Contains(r.out, `"model":"GLM-5.3"`) {
		t.Errorf("%+v", r)
	}
	r = h.run("-p", "-m", "GLM-5.33", "hi")
	if !strings.Contains(r.err, "warning: The server's catalogue has no model GLM-5.33") {
		t.Errorf("%+v", r)
	}
	if n := listsAsked(h.server); n != 1 {
		t.Errorf("the list was asked for %d times", n)
	}
}

func TestAListOfYesterdayIsFetchedAnew(t *testing.T) {
	h := newHome(t)
	h.run("-p", "-m", "GLM-5.3", "hi").status0(t)
	h.ageList(25 * time.Hour)
	h.run("-p", "-m", "GLM-5.3", "hi").status0(t)
	h.run("-p", "-m", "GLM-5.3", "hi").status0(t)
	if n := listsAsked(h.server); n != 2 {
		t.Errorf("the list was asked for %d times", n)
	}
	h.ageList(-25 * time.Hour) // the clock was wrong
	h.run("-p", "-m", "GLM-5.3", "hi").status0(t)
	if n := listsAsked(h.server); n != 3 {
		t.Errorf("the list was asked for %d times", n)
	}
}

func TestAListThatDoesNotComeIsNoHarm(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	for name, list := range map[string]emulator.Reply{
		"never":   emulator.Stream(emulator.Wait(never)),
		"refused": emulator.Err(500, "server_error", "down"),
		"broken":  emulator.Body(200, "text/html", "<html>hello"),
		"empty":   emulator.Body(200, "application/json", `{"data":[]}`),
	} {
		h := newHome(t)
		h.hurried = true
		h.server.ScriptModels(list, list)
		h.server.Script(answer("hello"))
		h.run("-p", "-m", "GLM-5.3", "hi").want(t, 0, "hello\n", "")
		if _, err := os.Stat(h.listFile()); err == nil {
			t.Errorf("%s: something is kept", name)
		}
		if got := h.server.Requests(); len(got) != 2 || got[0].Method != http.MethodPost {
			t.Errorf("%s: %d requests", name, len(got))
		}
	}
}

func TestAListThatIsMissedBeforeTheAnswerIsNotAskedForAgain(t *testing.T) {
	h := newHome(t)
	h.server.ScriptModels(emulator.Err(400, "x", "no"))
	h.server.Script(answer("hello"))
	h.run("-p", "hi").want(t, 0, "hello\n", "") // which model is there?
	if n := listsAsked(h.server); n != 1 {
		t.Errorf("the list was asked for %d times", n)
	}
}

func TestAFinishedAnswerWaitsForTheListFor300Milliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(System{})
		ctx, cancel := context.WithCancel(t.Context())
		f := &fetching{begun: make(chan struct{}), cancel: cancel}
		f.done = p.aside("test", func() { <-ctx.Done() })
		start := time.Now()
		f.end(p.grace(t.Context(), nil))()
		if got := time.Since(start); got != 300*time.Millisecond {
			t.Errorf("%v", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(System{})
		ctx, cancel := context.WithCancel(t.Context())
		f := &fetching{begun: make(chan struct{}), cancel: cancel}
		f.done = p.aside("test", func() { <-ctx.Done() })
		start := time.Now()
		f.end(p.grace(t.Context(), &outputError{fs.ErrClosed}))()
		if got := time.Since(start); got != 0 {
			t.Errorf("nobody reads any more, and the end took %v", got)
		}
	})
}

func TestTheListIsAskedForWhenTheAnswerHasBegunOrIsLate(t *testing.T) {
	for _, tt := range []struct {
		states []chat.State
		want   time.Duration
	}{
		{nil, 250 * time.Millisecond},
		{[]chat.State{chat.Connecting, chat.Retrying}, 250 * time.Millisecond},
		{[]chat.State{chat.Connecting, chat.Waiting, chat.Answering}, 0},
		{[]chat.State{chat.Failed}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newProgram(System{})
			c := Connection{BaseURL: "http://127.0.0.1:1/v1", Name: "127.0.0.1:1"}
			client, err := p.client(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			f := p.fetchBeside(t.Context(), c, client)
			for _, s := range tt.states {
				f.see(chat.Event{State: s})
			}
			<-f.done
			if got := time.Since(start); got != tt.want || p.listed(c).Err == nil {
				t.Errorf("%v: asked after %v, %v", tt.states, got, p.listed(c).Err)
			}
		})
	}
}

func TestAFaultBesideTheAnswerIsNotTheEndOfIt(t *testing.T) {
	p := newProgram(System{})
	<-p.aside("test", func() { panic("a fault") })
}

// files are the names and contents of everything below a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			all[path] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestNoSaveReadsTheListAndWritesNothing(t *testing.T) {
	h := newHome(t)
	script := emulator.Stream(emulator.C("ok"), emulator.F("stop"), emulator.Usage(1000, 100, 400, 30), emulator.D)
	h.server.Script(script, script, script)
	h.run("-p", "-m", "GLM-5.3", "hi").status0(t)
	h.ageList(50 * time.Hour)
	before := files(t, h.dir)
	r := h.run("--output", "json", "--no-save", "-m", "GLM-5.3", "hi")
	if r.status != 0 || !strings.Contains(r.out, `"cost":70836`) {
		t.Errorf("%+v", r)
	}
	after := files(t, h.dir)
	if len(before) != len(after) {
		t.Errorf("now %d files, before %d", len(after), len(before))
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s is another one", name)
		}
	}
}

func TestTheDryRunTellsThatItsPricesAreOld(t *testing.T) {
	h := newHome(t)
	h.run("models").status0(t)
	if r := h.run("--dry-run", "-m", "GLM-5.3", "hi"); r.status != 0 || !strings.Contains(r.err, "; at least $") && !strings.Contains(r.err, " to $") || strings.Contains(r.err, "prices of") {
		t.Errorf("%+v", r)
	}
	h.ageList(3*24*time.Hour + time.Minute)
	if r := h.run("--dry-run", "-m", "GLM-5.3", "hi"); r.status != 0 || !strings.Contains(r.err, " (prices of 3 days ago)\n") {
		t.Errorf("%+v", r)
	}
	if r := h.run("--dry-run", "-m", "of unknown price", "hi"); strings.Contains(r.err, "prices of") {
		t.Errorf("%+v", r)
	}
	if n := listsAsked(h.server); n != 1 {
		t.Errorf("a dry run asked for the list: %d", n)
	}
}

func TestAnInterruptedRunDoesNotWaitForTheList(t *testing.T) {
	h := newHome(t)
	never := make(chan struct{})
	defer close(never)
	h.server.ScriptModels(emulator.Stream(emulator.Wait(never)))
	h.server.Script(emulator.Stream(emulator.C("as far as"), emulator.Wait(never)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	w := writerFunc(func(b []byte) (int, error) {
		out.Write(b)
		cancel()
		return len(b), nil
	})
	if r := h.start(ctx, nil, w, "-p", "-m", "GLM-5.3", "hi"); r.status != 130 || !slices.Equal(out.Bytes(), []byte("as far as\n")) {
		t.Errorf("%+v %q", r, out.String())
	}
}
