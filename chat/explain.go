package chat

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"waferchat/api"
	"waferchat/session"
)

// words are what the user reads about an error: a title of one sentence and
// the advice what to do next.
type words struct{ title, advice string }

// none tells whether there are no words.
func (w words) none() bool { return w.title == "" }

// Explain gives the words for an error of a turn, the store or the catalogue:
// a title that says what happened, with the server's code and request id where
// there are, and the advice what to do next. It never shows keys, web pages or
// control characters. Both are empty for nil.
func Explain(err error) (title, advice string) {
	if err == nil {
		return "", ""
	}
	for _, explain := range []func(error) words{explainEngine, explainStore, explainModel, explainServer, explainCut, explainNetwork} {
		if w := explain(err); !w.none() {
			return w.title, w.advice
		}
	}
	return "An unexpected error occurred: " + sentence(cleanOr(err.Error(), "no details were given")),
		"Try again; if it happens again, the log file may tell more."
}

func explainEngine(err error) words {
	switch {
	case errors.Is(err, ErrBusy):
		return words{"An answer is still arriving in this chat.", "Wait for it or cancel it, then send again."}
	case errors.Is(err, ErrClosed):
		return words{"waferchat is closing.", "Start it again and open the chat; what was sent before is saved."}
	case errors.Is(err, ErrAnswered):
		return words{"The message cannot be taken back, because its answer has begun.", "Edit the message or delete the turn instead."}
	case errors.Is(err, api.ErrBodyTooLarge):
		return words{"The request is larger than the 50 MB that the server takes, so it was not sent.", "Leave pictures or long pastes out, or go on in a new chat."}
	case errors.Is(err, ErrNothingToContinue):
		return words{"There is no cut text to go on with.", "Answer the question again instead."}
	case errors.Is(err, context.Canceled):
		return words{"The request was cancelled.", "Send the message again when you want an answer."}
	}
	return words{}
}

// join puts sentences behind each other.
func join(sentences ...string) string {
	var kept []string
	for _, s := range sentences {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " ")
}

// sentence ends a text with a full stop if it has no end of its own.
func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// capital begins a text with a capital letter.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

func cleanOr(s, otherwise string) string {
	if s = clean(s); s != "" {
		return s
	}
	return otherwise
}

// explainStore explains errors of sessions and of the disk below them.
func explainStore(err error) words {
	switch {
	case errors.Is(err, session.ErrLocked):
		return words{"Another waferchat is writing this chat.", "Go on there; this one can write again when it has been left."}
	case errors.Is(err, session.ErrMoved):
		return words{"This chat went on in another waferchat.", "Open it again to see what is new, then send your message."}
	case errors.Is(err, session.ErrNewer):
		return words{"The chats were saved by a newer waferchat.", "Update waferchat; until then this one leaves them as they are."}
	case errors.Is(err, session.ErrGone):
		return words{"The file with the chats was removed or replaced while it was in use.", "What it held is still in memory: the next thing that is saved puts it back, unless another file is in its place."}
	case errors.Is(err, session.ErrNoMessage):
		return words{"There is no such message in this chat.", "Open the chat again to see what it holds."}
	case errors.Is(err, session.ErrCorrupt):
		return damaged()
	case errors.Is(err, session.ErrNotFound):
		return words{"There is no such chat.", "List the chats with `waferchat sessions list`."}
	case errors.Is(err, session.ErrAmbiguous):
		return words{"More than one chat matches that name.", "Give more of its title, or its id."}
	}
	return explainDisk(err)
}
