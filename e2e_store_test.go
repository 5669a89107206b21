//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to look at the store from outside

	"waferchat/api/emulator"
)

// durable is how much of a stream a killed process may lose.
const durable = 250 * time.Millisecond

// asked are the messages of the chat requests that a server has seen.
func asked(t *testing.T, s *emulator.Running) (all [][]spoken) {
	t.Helper()
	for _, r := range s.Requests() {
		if !strings.HasSuffix(r.Path, "/chat/completions") {
			continue
		}
		var body struct{ Messages []spoken }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		all = append(all, body.Messages)
	}
	return all
}

type spoken struct{ Role, Content string }

func said(messages []spoken) string {
	var all []string
	for _, m := range messages {
		all = append(all, m.Role+": "+m.Content)
	}
	return strings.Join(all, " | ")
}

func answer(text string) emulator.Reply {
	return emulator.Stream(emulator.C(text), emulator.F("stop"), emulator.U, emulator.D)
}

// eventually waits until ok is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	late := time.After(long)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("no %s within %v", what, long)
		}
	}
}

// store is the file with the chats.
func (h *home) store() string {
	return filepath.Join(h.dir, ".local", "share", "waferchat", "sessions.db")
}

// config writes the configuration.
func (h *home) config(text string) {
	h.t.Helper()
	dir := filepath.Join(h.dir, ".config", "waferchat")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// message is a stored message, as the program prints it.
type message struct{ Role, State, Text, Reasoning string }

// show reads the only chat back through the program itself.
func (h *home) show() []message {
	h.t.Helper()
	list, errs, code := h.run("", "sessions", "list", "--json")
	var chats []struct{ ID string }
	if err := json.Unmarshal([]byte(list), &chats); err != nil || code != 0 || len(chats) != 1 {
		h.t.Fatalf("%s %s %v", list, errs, err)
	}
	out, errs, code := h.run("", "sessions", "show", "--json", chats[0].ID)
	var chat struct{ Messages []message }
	if err := json.Unmarshal([]byte(out), &chat); err != nil || code != 0 {
		h.t.Fatalf("%s %s %v", out, errs, err)
	}
	return chat.Messages
}

// waferHome is a user of a server.
func waferHome(t *testing.T, s *emulator.Running) *home {
	t.Helper()
	return newHome(t, "WAFER_API_KEY="+secret, "WAFER_BASE_URL="+s.URL, "WAFER_MODEL=GLM-5.3")
}

// lateness measures, until the returned function is called, by how much this
// machine is late at the worst, for others may be using it.
func lateness() func() time.Duration {
	stop, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		const nap = 2 * time.Millisecond
		tick := time.NewTicker(nap)
		defer tick.Stop()
		most, before := time.Duration(0), time.Now()
		for {
			select {
			case <-stop:
				worst <- most
				return
			case <-tick.C:
				most = max(most, time.Since(before)-nap)
				before = time.Now()
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return 3 * <-worst // the program, the server and the disk may each be late
	}
}

// lag is the age of the oldest numbered line that is not on the screen.
func lag(screen string, sent []emulator.SentText) time.Duration {
	for i := len(sent) - 1; i > 0; i-- {
		if strings.Contains(screen, strings.TrimSpace(sent[i].Text)) {
			if i == len(sent)-1 {
				return 0
			}
			return time.Since(sent[i+1].Time)
		}
	}
	if len(sent) > 0 {
		return time.Since(sent[0].Time)
	}
	return 0
}

// TestAfterAKillAtAnyMomentTheAnswerIsThereButForAQuarterOfASecond compares what
// the server handed out with what is left, and goes on from there.
func TestAfterAKillAtAnyMomentTheAnswerIsThereButForAQuarterOfASecond(t *testing.T) {
	for _, moment := range []int{1, 100, 250} {
		t.Run(fmt.Sprintf("after %d pieces", moment), func(t *testing.T) {
			s := strictServer(t)
			h := waferHome(t, s)
			steps := []emulator.Step{emulator.R("thinking ")}
			for i := range 20_000 {
				steps = append(steps, emulator.C(fmt.Sprintf("%05d\n", i)), emulator.Pause(4*time.Millisecond))
			}
			s.Script(emulator.Stream(steps...), answer("I went on"))
			term := h.start(100, 30)
			term.WaitFor("⏎ send", long)
			term.Send("count\r")
			late := lateness()
			behind := time.Duration(0) // of the screen behind the server, at the worst
			eventually(t, "answer", func() bool {
				sent := s.Sent()
				behind = max(behind, lag(term.Text(), sent))
				return len(sent) > moment
			})
			killed := time.Now()
			term.Kill()
			term.Wait(long)
			slack := durable + behind + late()

			var sent strings.Builder
			must := 0
			for _, piece := range s.Sent() {
				if piece.Reasoning {
					continue
				}
				sent.WriteString(piece.Text)
				if killed.Sub(piece.Time) > slack {
					must = sent.Len()
				}
			}
			term = h.start(100, 30, "-c")
			term.WaitFor("interrupted", long)
			left := h.show()
			if len(left) != 2 || left[0].Text != "count" || left[1].State != "interrupted" {
				t.Fatalf("left is %+v", left)
			}
			got := left[1].Text
			if !strings.HasPrefix(sent.String(), got) || len(got) < must {
				t.Errorf("%d bytes are left of %d, %d of them older than %v", len(got), sent.Len(), must, slack)
			}
			t.Logf("%d bytes are left of %d, %d were required", len(got), sent.Len(), must)
			if lines := strings.Fields(got); len(lines) > 0 && !strings.Contains(term.Text(), lines[len(lines)-1]) {
				t.Errorf("the last line %q is not on the screen:\n%s", lines[len(lines)-1], term.Text())
			}
			term.Send("go on\r")
			term.WaitFor("I went on", long)
			want := "user: count | assistant: " + got + " | user: go on"
			if got == "" {
				want = "user: count\n\ngo on"
			}
			all := asked(t, s)
			if last := said(all[len(all)-1]); last != want {
				t.Errorf("the next request says %.200q, want %.200q", last, want)
			}
		})
	}
}

func TestAChatThatIsToldToEndKeepsAllThatArrived(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			s := strictServer(t)
			h := waferHome(t, s)
			s.Script(emulator.Stream(emulator.R("hm"), emulator.C("half of "), emulator.C("an answer"), emulator.Hang), answer("I went on"))
			term := h.start(100, 30)
			term.WaitFor("⏎ send", long)
			term.Send("count\r")
			term.WaitFor("half of an answer", long)
			term.Send("a draft")
			term.WaitFor("❯ a draft", long)
			term.Signal(sig) // at once: nothing may wait for a timer
			term.Wait(long)
			if left := h.show(); len(left) != 2 || left[1].Text != "half of an answer" || left[1].Reasoning != "hm" || left[1].State != "cancelled" {
				t.Errorf("left is %+v", left)
			}
			term = h.start(100, 30, "-c")
			term.WaitFor("half of an answer", long)
			term.WaitFor("❯ a draft", long)
			term.Send("\r")
			term.WaitFor("I went on", long)
			all := asked(t, s)
			if last := said(all[len(all)-1]); last != "user: count | assistant: half of an answer | user: a draft" {
				t.Errorf("the next request says %q", last)
			}
		})
	}
}

// rows is everything that is in the store, by table.
func (h *home) rows() map[string]string {
	h.t.Helper()
	db, err := sql.Open("sqlite", "file:"+h.store()+"?mode=ro&_pragma=busy_timeout(10000)")
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	out := map[string]string{}
	for _, table := range column(h.t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'") {
		var fields []string
		for _, f := range column(h.t, db, "SELECT name FROM pragma_table_info('"+table+"')") {
			fields = append(fields, `quote("`+f+`")`)
		}
		out[table] = strings.Join(column(h.t, db, "SELECT "+strings.Join(fields, "||','||")+` FROM "`+table+`" ORDER BY 1`), "\n")
	}
	return out
}

// changed says how the rows of some tables differ.
func changed(before, after map[string]string) string {
	var out strings.Builder
	for table, rows := range after {
		if before[table] != rows {
			fmt.Fprintf(&out, "%s was\n%s\nand is\n%s\n", table, before[table], rows)
		}
	}
	return out.String()
}

func column(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var v sql.NullString
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v.String)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestASecondWindowOnAChatThatStreamsLooksOnAndTouchesNothing(t *testing.T) {
	s := strictServer(t)
	h := waferHome(t, s)
	more := make(chan struct{})
	s.Script(answer("the first answer"), emulator.Stream(emulator.R("hm"), emulator.C("half of "), emulator.Wait(more), emulator.C("the second answer"), emulator.F("stop"), emulator.U, emulator.D), answer("the third answer"))
	first := h.start(100, 30)
	first.WaitFor("⏎ send", long)
	first.Send("question one\r")
	first.WaitFor("the first answer", long)
	first.WaitFor("⏎ send", long)
	first.Send("question two\r")
	first.WaitFor("half of", long)
	eventually(t, "flush", func() bool { return strings.Contains(h.rows()["chunks"], "half of") })
	before := h.rows()

	second := h.start(100, 30, "-c")
	second.WaitFor("Another waferchat is writing this chat", long)
	for _, text := range []string{"the first answer", "question two", "half of"} {
		second.WaitFor(text, long)
	}
	second.Send("\x14") // Ctrl+T: how reasoning is shown
	second.WaitFor("reasoning:", long)
	if diff := changed(before, h.rows()); diff != "" {
		t.Errorf("looking on changed the store: %s", diff)
	}
	second.Send("mine\r")
	second.WaitUntil("the refusal", long, func() bool { return strings.Count(second.Text(), "Another waferchat is writing") >= 2 })
	second.WaitFor("❯ mine", long) // the draft came back
	second.Send("\x03\x03\x03")    // clear it, and leave
	if code := second.Wait(long); code != 0 {
		t.Errorf("exit code %d", code)
	}
	after := h.rows()
	delete(after, "drafts") // what was typed there is kept
	if diff := changed(before, after); diff != "" {
		t.Errorf("trying to write changed the store: %s", diff)
	}
	out, errs, code := h.run("", "-p", "-c", "from a script")
	if out != "" || code != 1 || !strings.Contains(errs, "Another waferchat is writing this chat") {
		t.Errorf("print mode: %q, %q, code %d", out, errs, code)
	}

	close(more)
	first.WaitFor("half of the second answer", long)
	first.WaitFor("⏎ send", long)
	first.Send("question three\r")
	first.WaitFor("the third answer", long)
	first.WaitFor("⏎ send", long)
	first.Send("\x04")
	first.Wait(long)
	want := "user: question one | assistant: the first answer | user: question two | assistant: half of the second answer | user: question three"
	all := asked(t, s)
	if last := said(all[len(all)-1]); len(all) != 3 || last != want {
		t.Errorf("%d requests, the last says %q, want %q", len(all), last, want)
	}
	if left := h.show(); len(left) != 6 || left[5].Text != "the third answer" || left[3].State != "done" {
		t.Errorf("left is %+v", left)
	}
}

func TestAFullDiskIsToldAndTheAnswerComesAllTheSame(t *testing.T) {
	s := strictServer(t)
	h := waferHome(t, s)
	s.Script(answer("small"))
	if out, errs, code := h.run("", "-p", "hi"); out != "small\n" || code != 0 {
		t.Fatal(out, errs, code)
	}
	text := strings.Repeat("a long answer ", 20_000)
	s.Script(answer(text))
	info, err := os.Stat(h.store())
	if err != nil {
		t.Fatal(err)
	}
	// No file may grow any more, as on a full disk: ulimit counts in KiB.
	cmd := exec.Command("bash", "-c", fmt.Sprintf(`ulimit -S -f %d && exec "$0" -p more`, info.Size()/1024+8), h.bin)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, h.env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, _ := cmd.Output()
	if string(out) != text+"\n" || cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errs.String(), "saved") {
		t.Errorf("%d bytes, code %d, %s", len(out), cmd.ProcessState.ExitCode(), errs.String())
	}
	s.Script(answer("back again"))
	if out, errs, code := h.run("", "-p", "-c", "and now?"); out != "back again\n" || code != 0 {
		t.Errorf("with space again: %q, %q, code %d", out, errs, code)
	}
}

func TestAChatWhoseFilesAreRemovedIsToldAndPutBack(t *testing.T) {
	s := strictServer(t)
	h := waferHome(t, s)
	more := make(chan struct{})
	s.Script(answer("the first answer"), emulator.Stream(emulator.C("half of "), emulator.Wait(more), emulator.C("the second answer"), emulator.F("stop"), emulator.D), answer("the third answer"))
	term := h.start(100, 30)
	term.WaitFor("⏎ send", long)
	term.Send("question one\r")
	term.WaitFor("the first answer", long)
	term.WaitFor("⏎ send", long)
	term.Send("question two\r")
	term.WaitFor("half of", long)
	if err := os.RemoveAll(filepath.Dir(h.store())); err != nil {
		t.Fatal(err)
	}
	close(more)
	term.WaitFor("The file with the chats was removed", long)
	term.WaitFor("half of the second answer", long)
	eventually(t, "file", func() bool { _, err := os.Stat(h.store()); return err == nil })
	term.Send("question three\r")
	term.WaitFor("the third answer", long)
	term.WaitFor("⏎ send", long)
	term.Send("\x04")
	if code := term.Wait(long); code != 0 {
		t.Errorf("exit code %d", code)
	}
	var texts []string
	for _, m := range h.show() {
		texts = append(texts, m.Text)
	}
	if got, want := strings.Join(texts, " | "), "question one | the first answer | question two | half of the second answer | question three | the third answer"; got != want {
		t.Errorf("left is %q", got)
	}
}
