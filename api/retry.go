package api

import (
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
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
	silent  bool // an attempt has been given up because nothing came
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

// next plans the attempt after one that failed with err. A server that let the
// whole time of silence pass gets one more chance: who has waited twice as long
// wants to be asked.
func (r *retrier) next(err error) (*Retry, bool) {
	silence := errors.Is(err, ErrFirstByte) || errors.Is(err, ErrIdle)
	if r.attempt >= r.max || !mayRetry(err) || silence && r.silent {
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
	r.silent = r.silent || silence
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

// longestLimit is far above any period that a rate limit is counted in; a time
// since 1970 is far above it.
const longestLimit = 31 * 24 * time.Hour

// limitReset is how long the rate limits that are used up last still, as
// x-ratelimit-reset-requests and x-ratelimit-reset-tokens say it: like 6m0s, or
// in seconds. A limit with something left is not what refused.
func limitReset(h http.Header) (wait time.Duration, ok bool) {
	for _, what := range []string{"Requests", "Tokens"} {
		left := strings.TrimSpace(h.Get("X-Ratelimit-Remaining-" + what))
		reset := strings.TrimSpace(h.Get("X-Ratelimit-Reset-" + what))
		d, seconds := parseDelay(reset, time.Second)
		if !seconds {
			var err error
			if d, err = time.ParseDuration(reset); err != nil {
				continue
			}
		}
		if n, err := strconv.ParseFloat(left, 64); d > 0 && d <= longestLimit && (left == "" || err == nil && n <= 0) {
			wait, ok = max(wait, d), true
		}
	}
	return wait, ok
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
