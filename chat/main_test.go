package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"waferchat/api"
	"waferchat/session"
)

// childEnv makes the test binary play another process: its value is a task.
const childEnv = "WAFERCHAT_CHAT_TEST_CHILD"

// task is what another process does.
type task struct {
	Store string     // path of the store
	URL   string     // of the server
	Open  session.ID // the session to open
	Ask   string     // what to ask in a new session; the process then waits to be killed
}

// report is what a process found that opened a session.
type report struct {
	Busy  bool
	State session.State
	Text  string
	Err   string // of trying to write
}

func TestMain(m *testing.M) {
	var do task
	if raw := os.Getenv(childEnv); raw == "" {
		os.Exit(m.Run())
	} else if err := json.Unmarshal([]byte(raw), &do); err != nil {
		fail(err)
	}
	if err := do.run(context.Background()); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (do task) run(ctx context.Context) error {
	store, err := session.Open(ctx, do.Store, session.Options{})
	if err != nil {
		return err
	}
	client, err := api.New(api.Options{BaseURL: do.URL})
	if err != nil {
		return err
	}
	engine := New(Options{Store: store, Client: client})
	if do.Ask != "" {
		turn, err := engine.Start(ctx, session.Session{ID: do.Open, Model: "m"}, do.Ask)
		if err != nil {
			return err
		}
		turn.Wait()
		return fmt.Errorf("the answer ended before the process was killed")
	}
	v, path, busy, err := engine.Open(ctx, do.Open, 0)
	if err != nil {
		return err
	}
	found := report{Busy: busy, State: path[len(path)-1].State, Text: path[len(path)-1].Text()}
	if _, err := engine.Start(ctx, v, "mine"); err != nil {
		found.Err = err.Error()
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

// command returns the process that does a task, not yet started.
func (do task) command(t *testing.T) *exec.Cmd {
	t.Helper()
	raw, err := json.Marshal(do)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childEnv+"="+string(raw))
	cmd.Stderr = os.Stderr
	return cmd
}
