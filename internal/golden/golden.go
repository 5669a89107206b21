// Package golden compares what a test got with a file that was reviewed before.
// Run the tests of a package with -update to write the files anew, and read the
// difference before you keep them.
//
// It is test machinery: the product never imports it.
package golden

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TB is what the package needs of a *testing.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// Updating tells whether the files are to be written, for tests that keep files
// of their own.
func Updating() bool { return *update }

// Equal compares got with a file, testdata/NAME as a rule, and shows the lines
// that differ. With -update it writes the file instead.
func Equal[T ~string | ~[]byte](tb TB, file string, got T) {
	tb.Helper()
	compare(tb, file, []byte(got), *update)
}

func compare(tb TB, file string, got []byte, write bool) {
	tb.Helper()
	want, err := os.ReadFile(file)
	switch {
	case err == nil && bytes.Equal(got, want):
		return
	case write:
		if err := save(file, got); err != nil {
			tb.Fatalf("update %s: %v", file, err)
		}
		tb.Logf("wrote %s", file)
	case errors.Is(err, fs.ErrNotExist):
		tb.Fatalf("there is no %s; run with -update to write it. Got:\n%s", file, got)
	case err != nil:
		tb.Fatalf("read the golden file: %v", err)
	default:
		tb.Errorf("%s differs; if the change is right, run with -update\n%s", file, Diff(string(want), string(got)))
	}
}

func save(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

// shown is how many lines of a difference are printed.
const shown = 40

// Diff gives the lines that differ between two texts, those of the first with a
// minus, those of the second with a plus, each with its number and with a line
// around. Control characters are escaped.
func Diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	head := 0
	for head < min(len(w), len(g)) && w[head] == g[head] {
		head++
	}
	tail := 0
	for tail < min(len(w), len(g))-head && w[len(w)-1-tail] == g[len(g)-1-tail] {
		tail++
	}
	var b strings.Builder
	if head > 0 {
		line(&b, ' ', head, w[head-1])
	}
	for i := head; i < len(w)-tail && i < head+shown; i++ {
		line(&b, '-', i+1, w[i])
	}
	for i := head; i < len(g)-tail && i < head+shown; i++ {
		line(&b, '+', i+1, g[i])
	}
	if tail > 0 {
		line(&b, ' ', len(w)-tail+1, w[len(w)-tail])
	}
	return b.String()
}

func line(b *strings.Builder, mark byte, number int, text string) {
	quoted := fmt.Sprintf("%q", text)
	fmt.Fprintf(b, "%c %4d  %s\n", mark, number, strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`))
}
