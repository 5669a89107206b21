package chat

import (
	"errors"
	"net"

	"waferchat/api"
)

// explainCut explains an answer that ended too early, unless what ended it is a
// failure of the network that has words of its own.
func explainCut(err error) words {
	var cut *api.InterruptedError
	if !errors.As(err, &cut) {
		return words{}
	}
	w := cutWords(cut)
	if cut.RequestID != "" {
		w.advice = join(w.advice, "Request "+clean(cut.RequestID)+".")
	}
	return w
}

// cutWords explains why an answer ended too early.
func cutWords(cut *api.InterruptedError) words {
	kept := "What arrived is kept: answer again, or ask to go on."
	if !cut.Visible {
		kept = "Nothing of it had arrived: try again, or choose another model."
	}
	if w := explainNetwork(cut.Cause); !w.none() && unreached(cut.Cause) {
		return w
	}
	switch {
	case errors.Is(cut.Cause, api.ErrFirstByte):
		return words{"The server sent nothing for too long.", "Try again, or choose another model."}
	case errors.Is(cut.Cause, api.ErrTooLarge):
		return words{"The server sent more than an answer can hold.", join(kept, "Check the base URL if it happens again.")}
	case errors.Is(cut.Cause, api.ErrIdle):
		return words{"The server went silent before the answer was complete.", kept}
	case errors.Is(cut.Cause, api.ErrAsleep) && !cut.Visible:
		return words{"The computer slept while the answer was awaited.", "Nothing of it had arrived: try again."}
	case errors.Is(cut.Cause, api.ErrAsleep):
		return words{"The computer slept while the answer was arriving.", kept}
	case isReset(cut.Cause):
		return words{"The connection" + to(cut.Cause) + " broke before the answer was complete.", kept}
	case timedOut(cut.Cause):
		return words{"The connection" + to(cut.Cause) + " timed out before the answer was complete.", kept}
	}
	return words{"The answer ended before it was complete.", kept}
}

// unreached tells whether an error means that no connection came about.
func unreached(err error) bool {
	var op *net.OpError
	dial := errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect")
	return dial || !explainName(err).none() || !explainTLS(err).none()
}
