package chat

// nearlyFull is the share of the context window from which on it counts as
// nearly full.
const nearlyFull = 0.95

// aboutWindow tells of a request that does not fit the context window.
func (o *outlook) aboutWindow(f Forecast) []Notice {
	if f.Window <= 0 {
		return nil
	}
	window, high := float64(f.Window), float64(f.Request)*(1+f.Error)
	switch {
	case f.Request > f.Window:
		return warn(NoticeWindow, "About %d tokens do not fit the context window of %s, %d tokens: the server will refuse them.", f.Request, o.model(), f.Window)
	case high > window:
		return warn(NoticeWindow, "About %d tokens may not fit the context window of %s, %d tokens.", f.Request, o.model(), f.Window)
	case float64(f.Request) > nearlyFull*window:
		return note(NoticeWindow, "About %d tokens leave little room for an answer in the context window of %s, %d tokens.", f.Request, o.model(), f.Window)
	}
	return nil
}

// aboutLimit tells of a max_tokens that will not hold.
func (o *outlook) aboutLimit(l Limit) []Notice {
	out := o.bothLimits()
	switch l.Why {
	case LimitLowered:
		out = append(out, warn(NoticeLimit, "max_tokens %d is more than %s can answer with: it is lowered to %d.", l.Asked, o.model(), l.Tokens)...)
	case LimitIgnored:
		out = append(out, warn(NoticeLimit, "max_tokens %d is larger than the whole context window of %s: it is ignored, and %d holds.", l.Asked, o.model(), l.Tokens)...)
	case LimitDropped:
		out = append(out, warn(NoticeLimit, "The request and max_tokens %d do not fit the context window of %s together: the server will drop max_tokens.", l.Asked, o.model())...)
	}
	if l.Room > 0 && l.Asked > 0 {
		out = append(out, note(NoticeLimit, "On %s the server adds up to %d tokens for reasoning to max_tokens.", o.model(), l.Room)...)
	}
	return out
}

// bothLimits tells which of two names of the same limit counts.
func (o *outlook) bothLimits() []Notice {
	a, b := o.params.MaxTokens, o.params.MaxCompletionTokens
	if a == nil || b == nil || *a == *b {
		return nil
	}
	if !o.wafer {
		return warn(NoticeLimit, "max_tokens %d and max_completion_tokens %d are both set: which one counts is up to the server.", *a, *b)
	}
	return note(NoticeLimit, "max_tokens %d and max_completion_tokens %d are both set: max_tokens counts.", *a, *b)
}
