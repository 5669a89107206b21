package ui

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"waferchat/api"
	"waferchat/api/emulator"
	"waferchat/chat"
	"waferchat/session"
	"waferchat/themes"
)

// The benchmarks go through everything that a message goes through: the
// emulator's stream, the client, the engine with its store on the disk, Update
// and View. What they report as ratios should stay near 1.

// deltaSize is the size of a streamed delta in bytes, frameDeltas how many of
// them one frame shows: 100 a second at 30 frames a second, rounded.
const (
	deltaSize   = 48
	frameDeltas = 3
)

// rig is a program over a server and a store on the disk. Unlike a driver, it
// draws after every message, as Bubble Tea does.
type rig struct {
	b     testing.TB
	m     *Model
	msgs  chan tea.Msg
	gate  chan struct{} // lets the server write the deltas of one frame
	serve *emulator.Running
}

// newRig starts a program on a store that holds one session with this many
// turns, and waits until all of them are loaded.
func newRig(b testing.TB, turns int) *rig {
	b.Helper()
	path := filepath.Join(b.TempDir(), "sessions.db")
	if turns > 0 {
		seedStore(b, path, turns)
	}
	serve, err := emulator.Start(emulator.Options{Forget: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = serve.Close() })
	r := startRig(b, path, serve, turns > 0)
	r.until("the session", func() bool { return r.m.back != nil && len(r.m.chat.transcript.messages) == 2*turns })
	return r
}

// startRig starts a program on the store at path.
func startRig(b testing.TB, path string, serve *emulator.Running, resume bool) *rig {
	b.Helper()
	r := &rig{b: b, msgs: make(chan tea.Msg, 1024), gate: make(chan struct{}, 1), serve: serve}
	conn := Connection{BaseURL: serve.URL, Name: "test server"}
	r.m = New(Deps{
		Connection: &conn, Template: session.Session{Model: "GLM-5.3"}, Themes: themes.Builtin(),
		Resume: Resume{Latest: resume}, Dark: true,
		Open: func(ctx context.Context, c Connection) (Backend, error) {
			store, err := session.Open(ctx, path, session.Options{})
			if err != nil {
				return Backend{}, err
			}
			client, err := api.New(api.Options{BaseURL: c.BaseURL})
			return Backend{Engine: chat.New(chat.Options{Store: store, Client: client}), Store: store}, err
		},
	})
	b.Cleanup(r.close)
	r.run(r.m.Init())
	r.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	return r
}

// close ends the program and its store. It may be called twice.
func (r *rig) close() {
	if r.m.back == nil || r.m.closed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.m.Shutdown(ctx); err != nil {
		r.b.Errorf("shutdown: %v", err)
	}
	_ = r.m.back.Store.Close()
}

// seedStore stores one session of so many turns, as finished chats leave them.
func seedStore(b testing.TB, path string, turns int) {
	b.Helper()
	ctx := b.Context()
	s, err := session.Open(ctx, path, session.Options{})
	if err != nil {
		b.Fatal(err)
	}
	v := session.Session{ID: session.NewID(), Title: "Seeded", Model: "GLM-5.3"}
	answer := answerText(2000)
	for turns > 0 {
		n := min(turns, 500)
		turns -= n
		var batch []session.Message
		head := v.Head
		for i := range n {
			ask := session.Message{ID: session.NewMessageID(), Session: v.ID, Parent: head, Role: api.RoleUser, State: session.Done,
				Created: moment, Parts: []session.Part{{Kind: session.PartText, Text: fmt.Sprintf("And number %d?", turns*1000+i)}}}
			reply := session.Message{ID: session.NewMessageID(), Session: v.ID, Parent: ask.ID, Role: api.RoleAssistant, State: session.Done,
				Created: moment, Finish: "stop", Parts: []session.Part{{Kind: session.PartText, Text: answer}}}
			batch = append(batch, ask, reply)
			head = reply.ID
		}
		if err := s.Begin(ctx, v, batch...); err != nil {
			b.Fatal(err)
		}
		v.Head = head
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// answerText is markdown of at least n bytes: prose, a list, code and a table,
// again and again.
func answerText(n int) string {
	var s strings.Builder
	for i := 0; s.Len() < n; i++ {
		fmt.Fprintf(&s, "## Part %d\n\n", i)
		s.WriteString("The stream of tokens is *laid out* as it comes, so that every reader sees **steady** text and `code` without flicker.\n\n")
		s.WriteString("- the first item of a list\n- the second one, which is a little longer than the first\n\n")
		fmt.Fprintf(&s, "```go\nfunc step%d(in []byte) (int, error) {\n\tif len(in) == 0 {\n\t\treturn 0, errors.New(\"empty\")\n\t}\n\treturn len(in), nil\n}\n```\n\n", i)
		fmt.Fprintf(&s, "| name | value |\n|---|---:|\n| one | %d |\n| two | %d |\n\n", i, 2*i)
	}
	return s.String()
}

// send gives a message to Update, draws, and starts what was asked for.
func (r *rig) send(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil, tea.RawMsg, tea.QuitMsg:
		return
	case tea.BatchMsg:
		for _, c := range msg {
			r.run(c)
		}
		return
	}
	_, cmd := r.m.Update(msg)
	r.m.View()
	r.run(cmd)
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { r.msgs <- cmd() }()
	}
}

// until takes messages until ok holds.
func (r *rig) until(what string, ok func() bool) {
	r.b.Helper()
	late := time.After(patience)
	for !ok() {
		select {
		case msg := <-r.msgs:
			r.send(msg)
		case <-late:
			r.b.Fatalf("never saw %s", what)
		}
	}
}

// ask sends a question whose answer the server gives a frame's deltas at a
// time. It returns how long each frame took, from the server's write to the
// drawn screen.
func (r *rig) ask(answer string) []time.Duration {
	r.b.Helper()
	var steps, frame []emulator.Step
	for i := 0; i < len(answer); i += deltaSize {
		frame = append(frame, emulator.C(answer[i:min(i+deltaSize, len(answer))]))
		if len(frame) == frameDeltas || i+deltaSize >= len(answer) {
			steps = append(steps, emulator.Wait(r.gate), emulator.Split(0, frame...))
			frame = nil
		}
	}
	steps = append(steps, emulator.F("stop"), emulator.U, emulator.D)
	r.serve.Script(emulator.Stream(steps...))
	r.run(r.m.send("question"))
	r.until("a running turn", r.m.chat.running)
	took := make([]time.Duration, 0, len(answer)/(deltaSize*frameDeltas)+1)
	for seen := 0; seen < len(answer); {
		seen = min(seen+deltaSize*frameDeltas, len(answer))
		start := time.Now()
		r.gate <- struct{}{}
		// The last batch may bring the end of the turn, which clears the state.
		r.until("a frame", func() bool { return r.m.chat.live.bytes >= seen || !r.m.chat.running() })
		took = append(took, time.Since(start))
	}
	r.until("the end of the turn", func() bool { return !r.m.chat.running() })
	return took
}

// perDelta is the mean of some frames in microseconds a delta.
func perDelta(frames []time.Duration) float64 {
	var sum time.Duration
	for _, d := range frames {
		sum += d
	}
	return float64(sum.Nanoseconds()) / 1e3 / float64(len(frames)*frameDeltas)
}

// BenchmarkDeltaOfALongAnswer compares the deltas at the end of an answer of
// 1 MB with those at its start.
func BenchmarkDeltaOfALongAnswer(b *testing.B) {
	answer := answerText(1 << 20)
	const window = 64 << 10 / (deltaSize * frameDeltas) // frames of 64 KiB
	var first, last float64
	for b.Loop() {
		r := newRig(b, 0)
		frames := r.ask(answer)
		r.close()
		warm := window / 4
		first += perDelta(frames[warm : warm+window])
		last += perDelta(frames[len(frames)-window:])
	}
	b.ReportMetric(first/float64(b.N), "start-µs/delta")
	b.ReportMetric(last/float64(b.N), "end-µs/delta")
	b.ReportMetric(last/first, "end/start")
}

// BenchmarkDeltaAfterManyTurns compares the deltas of an answer after 10,000
// turns with those after 10.
func BenchmarkDeltaAfterManyTurns(b *testing.B) {
	answer := answerText(64 << 10)
	few, many := newRig(b, 10), newRig(b, 10_000)
	var after10, after10k float64
	for b.Loop() {
		// The first frame waits for the request, which holds all turns.
		after10 += perDelta(few.ask(answer)[1:])
		after10k += perDelta(many.ask(answer)[1:])
	}
	b.ReportMetric(after10/float64(b.N), "10-µs/delta")
	b.ReportMetric(after10k/float64(b.N), "10000-µs/delta")
	b.ReportMetric(after10k/after10, "10000/10")
}

// BenchmarkFlood takes 20,000 deltas as fast as they come.
func BenchmarkFlood(b *testing.B) {
	const n = 20_000
	r := newRig(b, 0)
	for b.Loop() {
		r.serve.Script(emulator.Stream(emulator.Flood(n, 8), emulator.F("stop"), emulator.U, emulator.D))
		r.run(r.m.send("question"))
		r.until("a running turn", r.m.chat.running)
		r.until("the end of the turn", func() bool { return !r.m.chat.running() })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/1e3/float64(b.N*n), "µs/delta")
}

// BenchmarkOpenSession compares opening a session of 10,000 turns, to the first
// screen that shows its end, with opening one of 10.
func BenchmarkOpenSession(b *testing.B) {
	var took [2]time.Duration
	var paths [2]string
	serve, err := emulator.Start(emulator.Options{Forget: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = serve.Close() })
	for i, turns := range []int{10, 10_000} {
		paths[i] = filepath.Join(b.TempDir(), "sessions.db")
		seedStore(b, paths[i], turns)
	}
	for b.Loop() {
		for i, path := range paths {
			start := time.Now()
			r := startRig(b, path, serve, true)
			r.until("the session", func() bool { return len(r.m.chat.transcript.messages) > 0 })
			took[i] += time.Since(start)
			r.close()
		}
	}
	b.ReportMetric(float64(took[0].Microseconds())/1e3/float64(b.N), "10-ms")
	b.ReportMetric(float64(took[1].Microseconds())/1e3/float64(b.N), "10000-ms")
	b.ReportMetric(float64(took[1])/float64(took[0]), "10000/10")
}

// BenchmarkInteraction compares what a user does after 10,000 turns with the
// same after 10: Update and View of each.
func BenchmarkInteraction(b *testing.B) {
	rigs := []*rig{newRig(b, 10), newRig(b, 10_000)}
	for _, act := range []struct {
		name string
		do   func(m *Model, i int)
	}{
		{"key", func(m *Model, i int) { m.Update([]tea.Msg{press("x"), press("backspace")}[i%2]) }},
		{"wheel", func(m *Model, i int) { m.scrollBy([]int{-3, 3}[i/20%2]); m.Update(nil) }},
		{"resize", func(m *Model, i int) { m.Update(tea.WindowSizeMsg{Width: 100 + i%20, Height: 40}) }},
		{"top and tail", func(m *Model, i int) { m.Update(press([]string{"ctrl+home", "ctrl+end"}[i%2])) }},
	} {
		b.Run(act.name, func(b *testing.B) {
			var took [2]time.Duration
			for i := 0; b.Loop(); i++ {
				for j, r := range rigs {
					start := time.Now()
					act.do(r.m, i)
					r.m.View()
					took[j] += time.Since(start)
				}
			}
			b.ReportMetric(float64(took[1].Nanoseconds())/1e3/float64(b.N), "10000-µs")
			b.ReportMetric(float64(took[1])/float64(took[0]), "10000/10")
		})
	}
}
