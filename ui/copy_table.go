package ui

import (
	"encoding/csv"
	"strings"
)

// tsvText is a table as tab-separated values, a row a line. What would be taken
// for the end of a cell or row becomes a blank.
func tsvText(rows [][]string) string {
	clean := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	lines := make([]string, len(rows))
	for i, row := range rows {
		cells := make([]string, len(row))
		for j, c := range row {
			cells[j] = clean.Replace(c)
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

// csvText is a table as comma-separated values by RFC 4180, but for line ends,
// which are newlines.
func csvText(rows [][]string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows) // to memory: it does not fail
	return strings.TrimSuffix(b.String(), "\n")
}
