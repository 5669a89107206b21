// Package nearest finds the names that a mistyped word may have meant: an
// option, a command, a theme, a model. It is for messages that say what is
// wrong; it is not for filtering lists.
package nearest

import (
	"slices"
	"strings"
)

// Name returns the name that a mistyped word most likely meant, case aside, if
// one is near enough. Ties go to the earlier name.
func Name(word string, names []string) (string, bool) {
	near := Names(word, names, 1)
	if len(near) == 0 {
		return "", false
	}
	return near[0], true
}

// Names returns the names that a mistyped word may have meant, case aside, the
// nearest first and at most n of them. Ties keep the order of names.
func Names(word string, names []string, n int) []string {
	type found struct {
		name     string
		distance int
	}
	word = strings.ToLower(word)
	limit := len(word)/3 + 1
	var near []found
	for _, name := range names {
		low := strings.ToLower(name)
		d := distance(word, low)
		if len(word) >= 3 && strings.HasPrefix(low, word) {
			d = min(d, 1)
		}
		if d <= limit {
			near = append(near, found{name, d})
		}
	}
	slices.SortStableFunc(near, func(a, b found) int { return a.distance - b.distance })
	var out []string
	for _, f := range near[:min(len(near), n)] {
		out = append(out, f.name)
	}
	return out
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours between a and b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i, r := range s {
		row[0] = i + 1
		for j, q := range t {
			cost := 1
			if r == q {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && r == t[j-1] && s[i-1] == q {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
