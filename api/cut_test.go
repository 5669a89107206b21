package api

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// TestAStreamCutAtAnyByteKeepsWhatCameAndSaysSo: wherever the line goes dead,
// the answer is the beginning that arrived, incomplete until its finish reason,
// and never an error that the server did not send.
func TestAStreamCutAtAnyByteKeepsWhatCameAndSaysSo(t *testing.T) {
	const text, thought = "The answer is 那 4.", "because"
	frames := ": hello\n\nevent: message\nid: 7\nretry: 10\n" + textFrame("The answer ") + reasoningFrame(thought) + textFrame("is 那 4.")
	end := strings.TrimRight(finishFrame("stop"), "\n")
	for name, dress := range map[string]func(string) string{
		"LF":   func(s string) string { return s },
		"CRLF": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"CR":   func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"BOM":  func(s string) string { return "\xef\xbb\xbf" + s },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream, complete := dress(frames+end+"\n\n"+usageFrame+doneFrame), len(dress(frames+end))
			for i := range len(stream) + 1 {
				for how, reply := range map[string]reply{"properly": events(stream[:i]), "by a reset": torn(io.ErrUnexpectedEOF, stream[:i])} {
					c, _ := newTestClient(t, noRetries, reply)
					o := read(c.Stream(t.Context(), hello()))
					whole := i >= complete
					if !strings.HasPrefix(text, o.text) || !strings.HasPrefix(thought, o.reasoning) || whole && o.text != text || whole != (o.finish == "stop") {
						t.Fatalf("ended %s after %q: text %q, reasoning %q, finish %q", how, stream[max(0, i-20):i], o.text, o.reasoning, o.finish)
					}
					if !whole {
						if cut := asError[*InterruptedError](t, o.err); (cut.Cause == io.ErrUnexpectedEOF) != (how == "properly") {
							t.Fatalf("ended %s after %q: %v", how, stream[max(0, i-20):i], o.err)
						}
					} else if o.err != nil {
						t.Fatalf("ended %s after %q: %v", how, stream[max(0, i-20):i], o.err)
					}
				}
			}
		})
	}
}

// TestOnlyAnAnswerThatNobodySawIsAskedForAgain cuts a stream at every byte: once
// anything of it was given out, reasoning and calls too, there is no second
// request.
func TestOnlyAnAnswerThatNobodySawIsAskedForAgain(t *testing.T) {
	for name, frame := range map[string]string{
		"text": textFrame("One"), "reasoning": reasoningFrame("A"), "a call": callFrame("0", `"c1"`, `"f"`, quoted("{}")),
		"details alone":     deltaFrame(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"AAAA"}]}`),
		"another choice":    raw(`{"choices":[{"index":1,"delta":{"content":"x"}}]}`),
		"reasoning in tags": textFrame("<think>\n\nA"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := deltaFrame(`{"role":"assistant","content":""}`) + deltaFrame(`{"content":" "}`) + frame
			for i := range len(stream) + 1 {
				synctest.Test(t, func(t *testing.T) {
					c, server := newTestClient(t, Options{}, events(stream[:i]), whole)
					o := read(c.Stream(context.Background(), hello()))
					seen := strings.Contains(kindsBefore(o, EventRetry), "text") || strings.Contains(kindsBefore(o, EventRetry), "reasoning") ||
						strings.Contains(kindsBefore(o, EventRetry), "tool_call")
					switch {
					case seen:
						t.Fatalf("cut at %d: something was shown and taken back: %s", i, kinds(o))
					case len(o.retries) == 0:
						if asError[*InterruptedError](t, o.err); server.count() != 1 || i < len(stream)-len("\n\n") {
							t.Fatalf("cut at %d: %v, %d requests", i, o.err, server.count())
						}
					case o.err != nil || o.text != "fine" || o.reasoning != "" || server.count() != 2 || i == len(stream):
						t.Fatalf("cut at %d: %v, text %q, reasoning %q, %d requests", i, o.err, o.text, o.reasoning, server.count())
					}
				})
			}
		})
	}
}

// kindsBefore are the events before the first of a kind; none when there is
// none of it.
func kindsBefore(o outcome, k EventKind) string {
	before, _, found := strings.Cut(kinds(o), string(k))
	if !found {
		return ""
	}
	return before
}
