package chat

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"waferchat/session"
)

func delta(ordinal int, text string) Event {
	return Event{Kind: EventDelta, Delta: session.Delta{Message: "m", Ordinal: ordinal, Kind: session.PartText, Text: text}}
}

// script writes events as one line, so that a test can show them.
func script(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		switch e.Kind {
		case EventDelta:
			fmt.Fprintf(&b, "%d:%s ", e.Delta.Ordinal, e.Delta.Text)
		case EventState:
			fmt.Fprintf(&b, "[%s] ", e.State)
		default:
			fmt.Fprintf(&b, "<%s> ", e.Kind)
		}
	}
	return strings.TrimSpace(b.String())
}

func TestNeighbouringDeltasOfOnePartAreJoined(t *testing.T) {
	m := newMailbox(0, time.After)
	m.put(delta(0, "a"), delta(0, "b"), delta(0, "c"), delta(1, "d"), delta(0, "e"), Event{Kind: EventState, State: Done}, delta(0, "f"), delta(0, "g"))
	got, err := m.next(t.Context())
	if want := "0:abc 1:d 0:e [done] 0:fg"; err != nil || script(got) != want {
		t.Fatalf("next = %q, %v; want %q", script(got), err, want)
	}
}

func TestAJoinedEventKeepsTheTimeOfItsFirstDelta(t *testing.T) {
	m := newMailbox(0, time.After)
	first := delta(0, "a")
	first.At = time.Unix(1, 0)
	second := delta(0, "b")
	second.At = time.Unix(2, 0)
	m.put(first, second)
	got, _ := m.next(t.Context())
	if len(got) != 1 || !got[0].At.Equal(first.At) {
		t.Fatalf("events = %+v, want one at %v", got, first.At)
	}
}

func TestAfterTheEndThereIsNothing(t *testing.T) {
	m := newMailbox(time.Hour, time.After)
	m.put(delta(0, "a"), Event{Kind: EventEnd})
	if got, err := m.next(t.Context()); err != nil || len(got) != 2 {
		t.Fatalf("next = %v, %v", got, err)
	}
	for range 2 { // at once, however long the pace is
		if got, err := m.next(t.Context()); err != io.EOF || got != nil {
			t.Fatalf("next after the end = %v, %v; want io.EOF", got, err)
		}
	}
}

func TestTheFirstBatchComesAtOnceAndTheOthersAtThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pace = 33 * time.Millisecond
		m := newMailbox(pace, time.After)
		go func() { // a delta every 10 ms
			for i := range 100 {
				m.put(delta(0, string(rune('0'+i%10))))
				time.Sleep(10 * time.Millisecond)
			}
			m.put(Event{Kind: EventEnd})
		}()
		start := time.Now()
		var last time.Time
		text := ""
		for batch := 0; ; batch++ {
			events, err := m.next(t.Context())
			if err == io.EOF {
				break
			}
			now := time.Now()
			switch {
			case batch == 0 && now.Sub(start) != 0:
				t.Errorf("the first batch came after %v", now.Sub(start))
			case batch > 0 && now.Sub(last) < pace:
				t.Errorf("batch %d came %v after the one before", batch, now.Sub(last))
			case batch > 0 && now.Sub(last) > pace+10*time.Millisecond:
				t.Errorf("batch %d came only %v after the one before", batch, now.Sub(last))
			}
			last = now
			for _, e := range events {
				text += e.Delta.Text
			}
		}
		if want := strings.Repeat("0123456789", 10); text != want {
			t.Errorf("text = %q", text)
		}
	})
}

func TestAfterAPauseAnEventComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox(33*time.Millisecond, time.After)
		m.put(delta(0, "a"))
		_, _ = m.next(t.Context())
		time.Sleep(time.Second)
		m.put(delta(0, "b"))
		start := time.Now()
		if _, err := m.next(t.Context()); err != nil || time.Since(start) != 0 {
			t.Fatalf("it came after %v (%v)", time.Since(start), err)
		}
	})
}

func TestAnIdleListenerWakesUpForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timers := 0
		m := newMailbox(time.Millisecond, func(d time.Duration) <-chan time.Time { timers++; return time.After(d) })
		m.put(delta(0, "a"))
		_, _ = m.next(t.Context())
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := m.next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("err = %v", err)
		}
		if timers != 1 {
			t.Fatalf("%d timers in an hour of silence", timers)
		}
	})
}

func TestAListenerThatGivesUpLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox(50*time.Millisecond, time.After)
		go func() {
			for i := range 1000 {
				m.put(delta(0, fmt.Sprintf("%04d,", i)))
				time.Sleep(time.Millisecond)
			}
			m.put(Event{Kind: EventEnd})
		}()
		random := rand.New(rand.NewPCG(1, 2))
		text, gaveUp := "", 0
		for {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(80))*time.Millisecond)
			events, err := m.next(ctx)
			cancel()
			if err == io.EOF {
				break
			}
			if err != nil {
				gaveUp++
				if !errors.Is(err, context.DeadlineExceeded) || events != nil {
					t.Fatalf("next = %v, %v", events, err)
				}
			}
			for _, e := range events {
				text += e.Delta.Text
			}
		}
		want := ""
		for i := range 1000 {
			want += fmt.Sprintf("%04d,", i)
		}
		if text != want || gaveUp == 0 {
			t.Fatalf("lost or doubled something (gave up %d times)", gaveUp)
		}
	})
}

func TestAListenerWhoseTimeIsOverTakesNothing(t *testing.T) {
	m := newMailbox(0, time.After)
	m.put(delta(0, "a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := m.next(ctx); !errors.Is(err, context.Canceled) || got != nil {
		t.Fatalf("next = %v, %v", got, err)
	}
	if got, err := m.next(t.Context()); err != nil || script(got) != "0:a" {
		t.Fatalf("next = %q, %v", script(got), err)
	}
}

func TestResetDropsAllButAnEnd(t *testing.T) {
	m := newMailbox(0, time.After)
	m.put(delta(0, "a"), Event{Kind: EventState, State: Done})
	m.reset(Event{Kind: EventState, State: Answering})
	m.put(delta(0, "b"), Event{Kind: EventEnd})
	m.reset()
	got, err := m.next(t.Context())
	if err != nil || script(got) != "<end>" {
		t.Fatalf("next = %q, %v", script(got), err)
	}
}

// FuzzMailbox checks that any order of putting and taking gives every byte once
// and in order.
func FuzzMailbox(f *testing.F) {
	f.Add([]byte("aab\x00c\x01dd\x00"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		m := newMailbox(0, time.After)
		var want, got [4]string
		take := func() {
			for _, e := range m.take() {
				if e.Kind == EventDelta {
					got[e.Delta.Ordinal] += e.Delta.Text
				}
			}
		}
		for i, op := range ops {
			switch {
			case op == 0:
				take()
			case op == 1:
				m.put(Event{Kind: EventState, State: Answering})
			default:
				ordinal, text := int(op%4), fmt.Sprintf("%d,", i)
				want[ordinal] += text
				m.put(delta(ordinal, text))
			}
		}
		take()
		if want != got {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
