package session

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"waferchat/api"
)

// counted is a finished answer with an estimate and what the server counted of
// its prompt; 0 is not reported.
func counted(id, parent, model string, at int, estimate, prompt int64) Message {
	m := assistant(id, parent, Done, text("x"))
	m.Model, m.Estimate, m.Created = model, estimate, time.Unix(int64(at), 0)
	if prompt > 0 {
		m.Usage = &api.Usage{PromptTokens: &prompt}
	}
	return m
}

// measured is a store with one answer for each pair of estimate and count.
func measured(t testing.TB, pairs ...[2]int64) *Store {
	t.Helper()
	s := memoryStore(t)
	var msgs []Message
	for i, p := range pairs {
		msgs = append(msgs, counted(fmt.Sprint("m", i), "", "GLM-5.3", i+1, p[0], p[1]))
	}
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, msgs...))
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestEstimatesAreCorrectedByWhatTheServerCounted(t *testing.T) {
	for _, c := range []struct {
		name        string
		pairs       [][2]int64
		factor, off float64
		count       int
	}{
		{"nothing", nil, 1, UncalibratedError, 0},
		{"two are too few", [][2]int64{{100, 150}, {100, 150}}, 1, UncalibratedError, 2},
		{"three that agree", [][2]int64{{100, 150}, {200, 300}, {400, 600}}, 1.5, 0.02, 3},
		{"not reported", [][2]int64{{100, 150}, {200, 300}, {400, 0}, {0, 600}}, 1, UncalibratedError, 2},
		{"a spread", [][2]int64{{100, 90}, {100, 100}, {100, 110}}, 1, 0.2 / 3, 3},
		{"between two", [][2]int64{{100, 80}, {100, 90}, {100, 110}, {100, 120}}, 1, 0.15, 4},
		{"one that is wholly wrong", [][2]int64{{100, 120}, {100, 120}, {100, 120}, {100, 120}, {100, 120}, {100, 120}, {100, 120},
			{100, 120}, {100, 120}, {100, 9000}}, 1.2, 0.02, 10},
		{"a giant that is wholly wrong", [][2]int64{{100, 120}, {110, 132}, {90, 108}, {1_000_000, 10_000}}, 1.2, 110.0 / 410 * (1 - 0.01/1.2), 4},
		{"short ones say little", [][2]int64{{5, 50}, {5, 50}, {1000, 1100}, {1000, 1100}, {1000, 1100}}, 1.1, (10 * (10 - 1.1) / 1.1) / 3010, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(measured(t, c.pairs...).Calibration(t.Context(), "glm-5.3"))(t)
			if !near(got.Factor, c.factor) || math.Abs(got.Error-c.off) > 0.003 || got.Count != c.count {
				t.Errorf("got %+v, want factor %v, error %v, %d answers", got, c.factor, c.off, c.count)
			}
			if got.Calibrated() != (c.count >= 3) {
				t.Errorf("calibrated: %v", got.Calibrated())
			}
		})
	}
}

func TestACalibrationTellsHowFarItCanBeTrusted(t *testing.T) {
	c := must(measured(t, [2]int64{100, 150}, [2]int64{200, 300}, [2]int64{400, 600}).Calibration(t.Context(), "GLM-5.3"))(t)
	for _, x := range []struct {
		c        Calibration
		estimate int64
		tokens   int64
		off      float64
	}{
		{Calibration{}, 1000, 1000, UncalibratedError},
		{Calibration{Factor: 1, Count: 2}, 1000, 1000, UncalibratedError},
		{c, 0, 0, 0.02},
		{c, 1001, 1502, 0.02},
		{c, 100_000, 150_000, UncalibratedError},
	} {
		if tokens, off := x.c.Tokens(x.estimate); tokens != x.tokens || off != x.off {
			t.Errorf("%+v of %d: %d, %v; want %d, %v", x.c, x.estimate, tokens, off, x.tokens, x.off)
		}
	}
}

func TestOnlyTheLastFinishedAnswersOfTheModelCalibrate(t *testing.T) {
	s := memoryStore(t)
	var msgs []Message
	for i := range 60 { // the last 50 were counted at twice the estimate
		prompt := int64(200)
		if i < 10 {
			prompt = 900
		}
		msgs = append(msgs, counted(fmt.Sprint("m", i), "", "kimi-K3", i+1, 100, prompt))
	}
	other := counted("other", "", "Kimi-K3-Fast", 99, 100, 700)
	cut := counted("cut", "", "Kimi-K3", 99, 100, 700)
	cut.State = Interrupted
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, append(msgs, other, cut)...))
	want := Calibration{Factor: 2, Error: 0.02, Count: 50, Largest: 100}
	same(t, "calibration", must(s.Calibration(t.Context(), "Kimi-K3"))(t), want)
	same(t, "another case", must(s.Calibration(t.Context(), "KIMI-k3"))(t), want)
	same(t, "another model", must(s.Calibration(t.Context(), "Kimi"))(t), Calibration{Factor: 1, Error: UncalibratedError})
}

func TestAnAnswerThatAForkCopiedCountsOnce(t *testing.T) {
	s := memoryStore(t)
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, user("m1", "", "q"), counted("m2", "m1", "m", 5, 100, 200)))
	for range 4 {
		must(s.Fork(t.Context(), "m2"))(t)
	}
	if c := must(s.Calibration(t.Context(), "m"))(t); c.Count != 1 {
		t.Errorf("%+v", c)
	}
}

func TestAnAnswerCalibratesFromItsEndOn(t *testing.T) {
	s := memoryStore(t)
	m := counted("m1", "", "m", 5, 100, 0)
	m.State = Streaming
	check(t, s.Begin(t.Context(), Session{ID: "s1"}, m))
	if c := must(s.Calibration(t.Context(), "m"))(t); c.Count != 0 {
		t.Errorf("while it streams: %+v", c)
	}
	m.State, m.Usage = Done, &api.Usage{PromptTokens: ptr(int64(120))}
	check(t, s.Finish(t.Context(), m))
	if c := must(s.Calibration(t.Context(), "m"))(t); c.Count != 1 {
		t.Errorf("at its end: %+v", c)
	}
}

func TestCalibratingReadsAnIndexAndNothingElse(t *testing.T) {
	s := memoryStore(t)
	var plan []string
	err := each(t.Context(), s.readers, "EXPLAIN QUERY PLAN "+calibrationQuery, []any{"m", 50}, func(scan func(...any) error) error {
		var a, b, c int
		var step string
		err := scan(&a, &b, &c, &step)
		plan = append(plan, step)
		return err
	})
	check(t, err)
	if len(plan) == 0 || !strings.HasPrefix(plan[0], "SEARCH messages USING COVERING INDEX messages_calibrating") ||
		strings.Contains(strings.Join(plan, " "), "ORDER BY") {
		t.Errorf("plan: %q", plan)
	}
}

func BenchmarkCalibrationWith100000Messages(b *testing.B) {
	s, _ := fileStore(b)
	msgs := make([]Message, 100_000)
	for i := range msgs {
		msgs[i] = counted(fmt.Sprint("m", i), "", fmt.Sprint("model-", i%5), i+1, int64(i), int64(i))
	}
	check(b, s.Begin(b.Context(), Session{ID: "s1"}, msgs...))
	for b.Loop() {
		if c := must(s.Calibration(b.Context(), "Model-3"))(b); c.Count != 50 {
			b.Fatal(c)
		}
	}
}
