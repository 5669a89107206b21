package chat

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"waferchat/api/emulator"
	"waferchat/session"
)

// story is a chat that goes through everything that can happen to a turn, in any
// order, and checks that each request begins with the bytes of the one before:
// that is what a server's prompt cache lives on.
type story struct {
	*rig
	session session.Session
	said    int
	log     []string
	asked   string // the messages that the newest answer was given to, without the closing bracket
	sends   string // what the next request must begin with
	whole   bool   // and be, but for the bracket
}

// chapters are what can happen. Each leaves s.sends true.
func chapters() map[string]func(*story) {
	reply := func(state State, steps ...emulator.Step) func(*story) {
		return func(s *story) { s.turn(state, emulator.Stream(steps...), nil) }
	}
	stopped := func(at func(Event) bool, steps ...emulator.Step) func(*story) {
		return func(s *story) { s.turn(Cancelled, emulator.Stream(append(steps, emulator.Hang)...), at) }
	}
	R, C, T, F, U, D := emulator.R, emulator.C, emulator.T, emulator.F, emulator.U, emulator.D
	waiting := func(e Event) bool { return e.State == Waiting }
	return map[string]func(*story){
		"an answer":                  reply(Done, R("hm"), C("fine "), C("<so> & \"on\"\u2028"), F("stop"), U, D),
		"an answer without thinking": reply(Done, C("yes"), F("stop"), U, D),
		"thoughts between":           reply(Done, R("a"), C("b"), R("c"), C("d"), F("stop"), D),
		"no answer, only thoughts":   reply(Done, R("the answer is 4"), F("stop"), D),
		"nothing at all":             reply(Done, F("stop"), D),
		"blanks":                     reply(Done, C(" \n "), F("stop"), D),
		"cut short by its limit":     reply(Done, C("half a sent"), F("length"), U, D),
		"a whole call":               reply(Done, R("look"), T(0, "c", "ls", `{"a":1}`), T(1, "", "", ""), F("tool_calls"), D),
		"text before a call":         reply(Done, C("let me look"), T(0, "c", "ls", ""), F("tool_calls"), D),
		"a call cut off":             reply(Interrupted, R("x"), T(0, "c", "write.file", `{"path":"/tmp`), emulator.EOF),
		"cut off":                    reply(Interrupted, R("x"), C("The answer is fo"), emulator.EOF),
		"cut off in thoughts":        reply(Interrupted, R("x"), emulator.EOF),
		"reset":                      reply(Interrupted, C("Par"), emulator.RST),
		"half a character":           reply(Interrupted, emulator.Delta(`{"content":"a\ud83d"}`), emulator.EOF),
		"an error in the stream":     reply(Failed, C("Par"), emulator.ErrFrame(400, "bad", "no"), D),
		"an orphan tag":              reply(Done, C("I should.</think>\n\nANSWER"), F("stop"), D),
		"stopped":                    stopped(isDelta, C("One two")),
		"stopped in thoughts":        stopped(isDelta, R("hmm")),
		"stopped before all":         stopped(waiting),
		"refused and kept":           func(s *story) { s.turn(Failed, emulator.Err(403, "", "no"), nil) },
		"refused and taken back":     (*story).takenBack,
		"asked again":                (*story).again,
		"retried":                    (*story).retried,
		"a restart":                  (*story).restart,
	}
}

func (s *story) fatalf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\nafter %s", fmt.Sprintf(format, args...), strings.Join(s.log, ", "))
}

// turn sends the next question and plays a turn to its end.
func (s *story) turn(want State, reply emulator.Reply, stop func(Event) bool) {
	s.t.Helper()
	s.server.Script(reply)
	s.said++
	turn, err := s.Start(s.t.Context(), s.session, fmt.Sprintf("question <%d>", s.said))
	if err != nil {
		s.fatalf("start: %v", err)
	}
	if stop != nil {
		until(s.t, turn, stop)
		turn.Cancel()
	}
	s.end(turn, want)
}

// end waits for a turn and learns what the next request must begin with.
func (s *story) end(turn *Turn, want State) {
	s.t.Helper()
	turn.Wait()
	if got := turn.State(); got != want {
		_, msgs := turn.Attach()
		s.fatalf("ended %s, not %s: %+v", got, want, msgs[1].Failure)
	}
	s.session = turn.Session()
	all := s.requests()
	got := string(all[len(all)-1].Raw.Messages)
	if !strings.HasPrefix(got, s.sends) || s.whole && got != s.sends+"]" {
		s.fatalf("the request\n%s\ndoes not begin with\n%s", got, s.sends)
	}
	s.asked, s.whole = strings.TrimSuffix(got, "]"), false
	m := storedMessage(s.t, s.store, s.session.Head)
	if len(session.Project(session.Projection{}, []session.Message{*m})) > 0 {
		s.sends = s.asked + ","
	} else { // the user's next text joins this one
		s.sends = strings.TrimSuffix(s.asked, `"}`) + `\n\n`
	}
}

func (s *story) takenBack() {
	sends, asked, head := s.sends, s.asked, s.session.Head
	s.turn(Failed, emulator.Err(400, "bad", "no"), nil)
	user := storedMessage(s.t, s.store, s.session.Head).Parent
	parent, err := s.Withdraw(s.t.Context(), s.session, user)
	if err != nil || parent != head {
		s.fatalf("withdraw = %s, %v", parent, err)
	}
	s.session.Head, s.sends, s.asked = parent, sends, asked
}

// again answers the last question again: the very same request, whose question
// may be one that was asked before others were taken back.
func (s *story) again() {
	s.server.Script(answerOf("another answer"))
	turn, err := s.Retry(s.t.Context(), s.session, s.session.Head)
	if err != nil {
		s.fatalf("retry: %v", err)
	}
	s.sends, s.whole = s.asked, true
	s.end(turn, Done)
}

func (s *story) retried() {
	s.server.Script(emulator.RetryAfter(0), emulator.RetryAfter(0))
	s.turn(Done, answerOf("at last"), nil)
	all := s.requests()
	if n := len(all); n < 3 || string(all[n-1].Raw.Messages) != string(all[n-2].Raw.Messages) || string(all[n-2].Raw.Messages) != string(all[n-3].Raw.Messages) {
		s.fatalf("the attempts differ")
	}
}

// restart goes on as another process would, with the disk's memory only.
func (s *story) restart() {
	closeEngine(s.t, s.Engine)
	if err := s.store.Close(); err != nil {
		s.fatalf("close: %v", err)
	}
	s.store = openStore(s.t, s.path)
	s.Engine = s.another(s.store)
	if s.session.Head == "" {
		return
	}
	v, _, busy, err := s.Open(s.t.Context(), s.session.ID, 2)
	if err != nil || busy || v.Head != s.session.Head {
		s.fatalf("open = %+v, %v, %v", v, busy, err)
	}
	s.session = v
}

func TestEachRequestBeginsWithTheBytesOfTheOneBeforeWhateverHappened(t *testing.T) {
	all := chapters()
	names := slices.Sorted(maps.Keys(all))
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("story ", seed), func(t *testing.T) {
			r := newRig(t)
			s := &story{rig: r, session: chat(), sends: "["}
			s.session.System = []string{"", "Be brief."}[seed%2]
			random := rand.New(rand.NewPCG(seed, 7))
			order := slices.Concat([]string{"an answer"}, names)
			random.Shuffle(len(order)-1, func(i, j int) { order[i+1], order[j+1] = order[j+1], order[i+1] })
			if seed%3 == 0 {
				s.session.Model = "thinker" // the server wants reasoning back
			}
			for _, name := range order[:18] {
				s.log = append(s.log, name)
				all[name](s)
			}
			s.log = append(s.log, "the last answer")
			s.turn(Done, answerOf("goodbye"), nil)
		})
	}
}
