package api

import (
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	defaultRetries = 3
	// retryBudget is what the waits of three retries may last together.
	retryBudget   = 15 * time.Second
	firstBackoff  = time.Second
	largestDelay  = 8 * time.Second
	maxRetryAfter = 10 * 365 * 24 * time.Hour
)

// retrier decides about one request: whether to try again, and when.
type retrier struct {
	attempt int // the attempt that runs, 1 upwards
	max     int // the last that may run
	waited  time.Duration
	budget  time.Duration
}

func newRetrier(retries *int) retrier {
	n := defaultRetries
	if retries != nil {
		n = max(0, *retries)
	}
	// More retries than the default may wait longer in the same proportion.
	budget := retryBudget * time.Duration(max(n, defaultRetries)) / defaultRetries
	return retrier{attempt: 1, max: n + 1, budget: budget}
}

// next plans the attempt after one that failed with err.
func (r *retrier) next(err error) (*Retry, bool) {
	if r.attempt >= r.max || !mayRetry(err) {
		return nil, false
	}
	wait := r.backoff()
	var e *Error
	if errors.As(err, &e) && e.asked {
		if wait = e.RetryAfter; wait > 0 {
			wait += rand.N(min(wait/10, 250*time.Millisecond) + 1)
		}
		if r.waited+e.RetryAfter >= r.budget {
			return nil, false
		}
	} else if wait = min(wait, r.budget-r.waited); wait <= 0 {
		return nil, false
	}
	r.waited += wait
	r.attempt++
	return &Retry{Attempt: r.attempt, Max: r.max, Wait: wait, Err: err}, true
}

// backoff is exponential with full jitter.
func (r *retrier) backoff() time.Duration {
	limit := min(firstBackoff<<min(r.attempt-1, 10), largestDelay)
	return rand.N(limit) + 1
}

// drop plans a second sending without a parameter that the server refused. It
// is a retry of its own and takes none of the others away.
func (r *retrier) drop(err error, name string) *Retry {
	r.attempt++
	r.max++
	return &Retry{Attempt: r.attempt, Max: r.max, Err: err, Dropped: name}
}

// mayRetry tells whether an attempt that showed nothing may be made again.
func mayRetry(err error) bool {
	var refused *Error
	var unreached *ConnectError
	var cut *InterruptedError
	switch {
	case errors.As(err, &refused):
		return refused.Retryable()
	case errors.As(err, &unreached):
		return unreached.retryable()
	case errors.As(err, &cut):
		return !errors.Is(cut.Cause, ErrTooLarge)
	}
	return false
}

// parseRetryAfter reads how long a server wants to be left alone: seconds,
// also with a fraction, or an HTTP date; retry-after-ms is in milliseconds.
// ok is false when nothing sensible was said.
func parseRetryAfter(h http.Header, now time.Time) (wait time.Duration, ok bool) {
	if ms, ok := parseDelay(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return ms, true
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := parseDelay(value, time.Second); ok {
		return s, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	// The server's own clock, when it says it, is the one its date is about.
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	if wait = at.Sub(now); wait <= 0 {
		return 0, false
	}
	return min(wait, maxRetryAfter), true
}

func parseDelay(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || f < 0 {
		return 0, false
	}
	if f *= float64(unit); f > float64(maxRetryAfter) {
		return maxRetryAfter, true
	}
	return time.Duration(math.Ceil(f)), true
}

// droppable are the parameters that a request may do without, in the order
// they are looked for. What the user relies on is not here: data retention,
// tools, the shape of the answer, stop sequences.
func droppable() []string {
	return []string{
		"stream_options", "parallel_tool_calls", "reasoning_content", "reasoning_details", "reasoning_text",
		"reasoning_effort", "temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty",
		"repetition_penalty", "seed", "top_logprobs", "logprobs", "max_tokens", "n", "reasoning", "thinking",
	}
}

// refusedParameter finds the optional parameter that a 400 or 422 names, if
// the request had it and can do without it.
func refusedParameter(err error, has map[string]bool, extra func(string) bool) (string, bool) {
	var e *Error
	if !errors.As(err, &e) || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return "", false
	}
	names := slices.DeleteFunc(droppable(), func(name string) bool {
		return !has[name] || !e.refuses(name) || (name == "reasoning" || name == "thinking") && extra(name)
	})
	path := strings.FieldsFunc(e.Param, func(r rune) bool { return strings.ContainsRune(".[]/ ", r) })
	for _, name := range names {
		if slices.Contains(path, name) {
			return name, true
		}
	}
	for _, name := range names {
		if mentions(e.Message, name) {
			return name, true
		}
	}
	return "", false
}

// refuses tells whether e, which may name the parameter, is about its being
// there. A value that is not supported is for the user to correct; reasoning
// that must be sent back is not cured by sending less.
func (e *Error) refuses(name string) bool {
	message := strings.ToLower(e.Message)
	switch name {
	case "reasoning_content", "reasoning", "reasoning_text", "reasoning_details", "thinking":
		for _, wanted := range []string{"must be", "missing", "required", "passed back"} {
			if strings.Contains(message, wanted) {
				return false
			}
		}
	case "reasoning_effort":
		return e.Code != "unsupported_value" && e.Code != "invalid_value"
	case "max_tokens": // is renamed, so that the limit stays
		return e.Code == "unsupported_parameter" || strings.Contains(message, "max_completion_tokens")
	}
	return true
}

// mentions finds name as a word of its own; a short name only in quotes.
func mentions(message, name string) bool {
	for rest, offset := message, 0; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		start, end := offset+i, offset+i+len(name)
		before, after := byte(' '), byte(' ')
		if start > 0 {
			before = message[start-1]
		}
		if end < len(message) {
			after = message[end]
		}
		quoted := strings.IndexByte("'\"`", before) >= 0 && strings.IndexByte("'\"`", after) >= 0
		if quoted || strings.Contains(name, "_") && !isTokenRune(rune(before)) && !isTokenRune(rune(after)) ||
			name == "temperature" && !isTokenRune(rune(before)) && !isTokenRune(rune(after)) {
			return true
		}
		offset, rest = end, message[end:]
	}
}
