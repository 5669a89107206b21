package ui

import (
	"fmt"
	"strconv"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func columns(s string) int { return ansi.StringWidth(s) }

// grouped writes a count with thousands separators: 1,204.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// short writes a count of tokens in few columns: 950, 12k, 1M.
func short(n int64) string {
	switch {
	case n >= 10_000_000 || n >= 1_000_000 && n%1_000_000 < 100_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	case n >= 1000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return strconv.FormatInt(n, 10)
}

// seconds writes a duration for people: 0.8 s, 12 s, 2 min 5 s.
func seconds(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// age writes how long ago t was: relative under a day, a date after.
func age(t, now time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return ""
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}

// dollars writes micro-cents as an estimate: ≈ $0.0009.
func dollars(microCents int64) string {
	d := float64(microCents) / 1e8
	switch {
	case microCents == 0:
		return "$0"
	case d < 0.0001:
		return "< $0.0001"
	case d < 0.01:
		return fmt.Sprintf("≈ $%.4f", d)
	case d < 1:
		return fmt.Sprintf("≈ $%.3f", d)
	}
	return fmt.Sprintf("≈ $%.2f", d)
}
