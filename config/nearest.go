package config

import "strings"

// Nearest returns the name that a mistyped word most likely meant, case aside,
// if one is near enough. Ties go to the earlier name.
func Nearest(word string, names []string) (string, bool) {
	word = strings.ToLower(word)
	best, limit := "", len(word)/3+1
	for _, n := range names {
		low := strings.ToLower(n)
		d := distance(word, low)
		if len(word) >= 3 && strings.HasPrefix(low, word) {
			d = min(d, 1)
		}
		if d < limit || d == limit && best == "" {
			best, limit = n, d
		}
	}
	return best, best != ""
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
