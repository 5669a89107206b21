package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestSilenceBeforeTheFirstByteIsRetried(t *testing.T) {
	for name, first := range map[string]reply{
		"no headers":     func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() },
		"headers only":   hanging(),
		"a comment only": hanging(": ping\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, server := newTestClient(t, Options{FirstByte: time.Minute, Idle: time.Minute}, first, whole)
				o := read(c.Stream(t.Context(), hello()))
				wantText(t, o, "fine")
				if server.count() != 2 {
					t.Errorf("%d requests", server.count())
				}
				cut := asError[*InterruptedError](t, o.retries[0].Err)
				if want := map[bool]error{true: ErrIdle, false: ErrFirstByte}[name == "a comment only"]; cut.Cause != want {
					t.Errorf("cause %v", cut.Cause)
				}
			})
		})
	}
}

func TestSilenceIsWaitedForTwiceAndNoMore(t *testing.T) {
	never := func(r *http.Request) (*http.Response, error) { <-r.Context().Done(); return nil, r.Context().Err() }
	comment := hanging(": ping\n\n")
	for name, c := range map[string]struct {
		replies  []reply
		requests int
		waited   time.Duration
	}{
		"no headers twice":              {[]reply{never}, 2, 20 * time.Minute},
		"no body twice":                 {[]reply{hanging()}, 2, 20 * time.Minute},
		"a comment and no more, twice":  {[]reply{comment}, 2, 20 * time.Minute},
		"one, then the other":           {[]reply{comment, never}, 2, 20 * time.Minute},
		"with busy answers between":     {[]reply{refused(503, ""), never, refused(503, ""), never}, 4, 20 * time.Minute},
		"busy answers are not silence":  {[]reply{refused(503, "")}, 4, 0},
		"a lost line is not silence":    {[]reply{torn(syscall.ECONNRESET)}, 4, 0},
		"once, then a busy server only": {[]reply{never, refused(503, "")}, 4, 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				client, server := newTestClient(t, Options{}, c.replies...)
				o := read(client.Stream(t.Context(), hello()))
				if waited := time.Since(begin) - c.waited; o.err == nil || server.count() != c.requests || waited < 0 || waited > 15*time.Second {
					t.Errorf("%v, %d requests in %s", o.err, server.count(), time.Since(begin))
				}
			})
		})
	}
}

func TestSilenceInTheMiddleKeepsThePartial(t *testing.T) {
	for name, frame := range map[string]string{"text": textFrame("partial"), "reasoning": reasoningFrame("x")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				c, server := newTestClient(t, Options{}, hanging(frame), whole)
				o := read(c.Stream(t.Context(), hello()))
				cut := asError[*InterruptedError](t, o.err)
				if cut.Cause != ErrIdle || o.text+o.reasoning == "" || time.Since(begin) != 10*time.Minute || server.count() != 1 {
					t.Errorf("%v %q after %s", o.err, o.text, time.Since(begin))
				}
			})
		})
	}
}

// slowBody gives a piece every so often.
type slowBody struct {
	every  time.Duration
	pieces []string
	ctx    context.Context
}

func (b *slowBody) Read(p []byte) (int, error) {
	if len(b.pieces) == 0 {
		return 0, io.EOF
	}
	time.Sleep(b.every)
	if b.ctx != nil && b.ctx.Err() != nil {
		return 0, b.ctx.Err()
	}
	n := copy(p, b.pieces[0])
	b.pieces = b.pieces[1:]
	return n, nil
}

func TestASlowServerIsNeverCutOff(t *testing.T) {
	for name, piece := range map[string]string{"a word every 20 s": textFrame("w"), "a comment every 20 s": ": ping\n\n"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var pieces []string
				for range 100 {
					pieces = append(pieces, piece)
				}
				pieces = append(pieces, finishFrame("stop")+doneFrame)
				c, _ := newTestClient(t, Options{Idle: time.Minute, FirstByte: time.Minute, MaxRetries: new(int)}, func(req *http.Request) (*http.Response, error) {
					return response(200, []string{"Content-Type: text/event-stream"}, &slowBody{20 * time.Second, pieces, req.Context()}), nil
				})
				if o := read(c.Stream(t.Context(), hello())); o.err != nil {
					t.Error(o.err)
				}
			})
		})
	}
}

func TestASlowReaderIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pieces []string
		for range 300 {
			pieces = append(pieces, textFrame("w"))
		}
		c, _ := newTestClient(t, Options{Idle: time.Second, MaxRetries: new(int)}, events(append(pieces, doneFrame)...))
		s := c.Stream(t.Context(), hello())
		for {
			if _, err := s.Next(); err != nil {
				if err != io.EOF {
					t.Error(err)
				}
				return
			}
			time.Sleep(5 * time.Second)
		}
	})
}

func TestNothingIsWaitedForAfterDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c, _ := newTestClient(t, Options{}, hanging(textFrame("fine")+finishFrame("stop")+doneFrame))
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		if d := time.Since(begin); d != 0 {
			t.Errorf("waited %s", d)
		}
	})
}

func TestAFinishedAnswerEndsThoughTheServerHoldsTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		c, _ := newTestClient(t, Options{}, hanging(textFrame("fine")+finishFrame("stop")))
		wantText(t, read(c.Stream(t.Context(), hello())), "fine")
		if d := time.Since(begin); d != afterFinish {
			t.Errorf("waited %s", d)
		}
	})
}

func TestASleptThroughConnectionIsGivenUp(t *testing.T) {
	body := func(make func(context.Context) io.Reader) reply {
		return func(req *http.Request) (*http.Response, error) {
			return response(200, []string{"Content-Type: text/event-stream"}, make(req.Context())), nil
		}
	}
	words := strings.SplitAfter(strings.Repeat(textFrame("w"), 60)+doneFrame, "\n\n")
	for name, c := range map[string]struct {
		reply reply
		cause error
		after time.Duration // the end of the stream
	}{
		// A look every 5 s notices the jump at 25 s; one look later all is clear.
		"silent after it": {hanging(textFrame("partial")), ErrAsleep, 30 * time.Second},
		"alive after it":  {body(func(ctx context.Context) io.Reader { return &slowBody{2 * time.Second, words, ctx} }), nil, 122 * time.Second},
		"reset after it": {body(func(ctx context.Context) io.Reader {
			return io.MultiReader(&slowBody{0, []string{textFrame("w")}, ctx}, &slowBody{27 * time.Second, []string{": "}, ctx},
				&pieceReader{err: syscall.ECONNRESET})
		}), ErrAsleep, 27 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				client, _ := newTestClient(t, Options{}, c.reply)
				client.clock.wall = func() time.Time { // jumps by an hour
					if time.Since(begin) > 21*time.Second {
						return time.Now().Round(0).Add(time.Hour)
					}
					return time.Now().Round(0)
				}
				o := read(client.Stream(t.Context(), hello()))
				if c.cause == nil {
					if o.err != nil {
						t.Error(o.err)
					}
				} else if cut := asError[*InterruptedError](t, o.err); cut.Cause != c.cause {
					t.Error(cut.Cause)
				}
				if time.Since(begin) != c.after {
					t.Errorf("after %s", time.Since(begin))
				}
			})
		})
	}
}

func TestCancellingReturnsAtOnceThoughTheServerHangs(t *testing.T) {
	deaf := func(*http.Request) (*http.Response, error) { time.Sleep(time.Hour); return nil, io.EOF }
	for name, r := range map[string]reply{"in the body": hanging(textFrame("a")), "before it": hanging(), "a transport that does not listen": deaf} {
		for _, how := range []string{"context", "Close"} {
			t.Run(name+" by "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c, server := newTestClient(t, Options{}, r)
					ctx, cancel := context.WithCancel(t.Context())
					s := c.Stream(ctx, hello())
					begin := time.Now()
					go func() {
						time.Sleep(time.Second)
						if how == "Close" {
							s.Close()
						}
						cancel()
					}()
					for {
						if _, err := s.Next(); err != nil {
							if !errors.Is(err, context.Canceled) {
								t.Errorf("%v", err)
							}
							break
						}
					}
					if time.Since(begin) != time.Second || server.count() != 1 {
						t.Errorf("after %s", time.Since(begin))
					}
					time.Sleep(2 * time.Hour) // the deaf transport ends
				})
			})
		}
	}
}
