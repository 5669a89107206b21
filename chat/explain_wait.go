package chat

import (
	"fmt"
	"time"

	"waferchat/api"
)

// wait says how long the server asks to wait, with a blank in front.
func wait(e *api.Error) string {
	if e.RetryAfter.Round(time.Second) <= 0 { // a moment, as the words in front say
		return ""
	}
	return " The server asks to wait " + span(e.RetryAfter) + "."
}

// span is a time in the units that matter for waiting.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return d.String()
	case d < time.Hour:
		return fmt.Sprintf("%d min", (d+time.Minute-1)/time.Minute)
	case d < day:
		d += time.Minute - 1
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	case d < 100*day:
		return fmt.Sprintf("%d days", (d+day-1)/day)
	}
	return "for months"
}
