package chat

import (
	"errors"
	"slices"

	"waferchat/api"
	"waferchat/session"
)

// CutShort tells whether an answer ended before it was complete: it failed, was
// stopped or broke off, or it reached the most tokens it may have, whatever the
// server calls that (see [api.LimitReached]).
func CutShort(m session.Message) bool {
	return m.State != session.Done || api.LimitReached(m.Finish)
}

// Unsatisfied tells how a finished answer misses what its request asked for, or,
// with Unchecked, why that cannot be told: see [CheckAnswer]. It is nil for an
// answer that satisfies it, where nothing was asked for, and for what is no whole
// answer: one that was cut short or filtered, or that calls tools instead.
func Unsatisfied(m session.Message) *AnswerError {
	if m.Role != api.RoleAssistant || CutShort(m) || slices.Contains([]string{"content_filter", "tool_calls", "function_call"}, m.Finish) || callsTools(m) {
		return nil
	}
	var miss *AnswerError
	_ = errors.As(CheckAnswer(m.Params, m.Text()), &miss)
	return miss
}

func callsTools(m session.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p session.Part) bool { return p.Kind == session.PartToolCall })
}
