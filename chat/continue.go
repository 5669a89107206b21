package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"waferchat/api"
	"waferchat/session"
)

// ErrNothingToContinue: the answer has no text of its own that could go on, or
// it made calls: it can only be answered again.
var ErrNothingToContinue = errors.New("there is no cut text to go on with")

// Continue begins a turn that goes on with a cut answer: a sibling of it that
// begins with what it holds, to which the rest is appended without a seam or
// doubled text. The cut answer stays as it is; the head moves to the new one.
// With Options.Prefill the cut answer is the last message of the request, for
// servers that go on with it, and what comes is appended as it is; otherwise a
// question that is not stored asks the model to. Its errors are those of Start,
// session.ErrNotFound and ErrNothingToContinue.
func (e *Engine) Continue(ctx context.Context, v session.Session, assistant session.MessageID) (*Turn, error) {
	return e.begin(ctx, v, func() (exchange, error) {
		path, err := e.path(ctx, assistant)
		if err != nil {
			return exchange{}, err
		}
		last := len(path) - 1
		if last < 1 || path[last].Role != api.RoleAssistant || path[last].Session != v.ID {
			return exchange{}, fmt.Errorf("continue message %s: %w", assistant, session.ErrNotFound)
		}
		if cut := path[last]; !continuable(cut) {
			return exchange{}, ErrNothingToContinue
		}
		return exchange{path: path, user: path[last-1], cut: &path[last]}, nil
	})
}

// continuable tells whether a message has text that can go on.
func continuable(m session.Message) bool {
	n := len(m.Parts)
	return n > 0 && !callsTools(m) && m.Parts[n-1].Kind == session.PartText && strings.TrimSpace(m.Text()) != ""
}

// goOn makes a request ask for the rest of its last message.
func (e *Engine) goOn(req *api.Request, cut session.Message) {
	req.N = nil
	if e.prefill {
		return
	}
	req.Messages = append(req.Messages, api.Message{Role: api.RoleUser, Content: []api.Part{{Text: continueWords(cut.Text())}}})
}

// quotedRunes is how much of the end of a cut text the model is shown again.
const quotedRunes = 60

// continueWords ask for the rest of a text. The model is to repeat its last
// words, so that the seam can be found.
func continueWords(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	end := lastRunes(strings.TrimSpace(lines[len(lines)-1]), quotedRunes)
	return "Your last answer was cut off. Go on exactly where it stopped: first repeat its last words, “" + end +
		"”, then continue from there. Do not start over and say nothing about this request."
}

// begun is the answer that goes on with a cut one: it has its parts already. A
// server that was given a prefill goes on exactly where that ends.
func begun(m session.Message, cut session.Message, prefilled bool) *answer {
	seam := newSplice(cut.Text())
	if prefilled {
		seam = exactSeam()
	}
	a := &answer{message: m, seam: seam}
	a.message.Parts = nil
	for _, p := range cut.Parts {
		q := &part{Part: p}
		q.Part.Text = ""
		q.text.write(p.Text)
		a.parts = append(a.parts, q)
	}
	return a
}
