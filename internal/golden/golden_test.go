package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder keeps what a test would have said.
type recorder struct{ errors, fatals, logs []string }

func (r *recorder) Helper() {}
func (r *recorder) Errorf(f string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(f, args...))
}
func (r *recorder) Fatalf(f string, args ...any) {
	r.fatals = append(r.fatals, fmt.Sprintf(f, args...))
}
func (r *recorder) Logf(f string, args ...any) { r.logs = append(r.logs, fmt.Sprintf(f, args...)) }

func TestAGoldenFileIsWrittenAndThenCompared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testdata", "deep", "a.golden")
	var r recorder
	compare(&r, file, []byte("one\n"), false)
	if len(r.fatals) != 1 || !strings.Contains(r.fatals[0], "-update") {
		t.Fatalf("without a file: %+v", r)
	}
	r = recorder{}
	compare(&r, file, []byte("one\ntwo\n"), true)
	if len(r.logs) != 1 || len(r.fatals) > 0 {
		t.Fatalf("update: %+v", r)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "one\ntwo\n" {
		t.Fatalf("the file holds %q, %v", data, err)
	}
	r = recorder{}
	compare(&r, file, []byte("one\ntwo\n"), false)
	compare(&r, file, []byte("one\ntwo\n"), true)
	if len(r.errors)+len(r.fatals)+len(r.logs) > 0 {
		t.Fatalf("the same: %+v", r)
	}
	compare(&r, file, []byte("one\nthree\n"), false)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "-    2  two\n+    2  three\n") {
		t.Fatalf("a difference: %+v", r)
	}
}

func TestEqualTakesStringsAndBytes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	var r recorder
	Equal(&r, file, "x")
	Equal(&r, file, []byte("x"))
	if len(r.errors)+len(r.fatals) > 0 {
		t.Errorf("the same: %+v", r)
	}
}

func TestDiffShowsWhatDiffersAndALineAround(t *testing.T) {
	tests := []struct{ name, want, got, diff string }{
		{"changed", "a\nb\nc\nd", "a\nB\nc\nd", "     1  a\n-    2  b\n+    2  B\n     3  c\n"},
		{"added", "a\nc", "a\nb\nc", "     1  a\n+    2  b\n     2  c\n"},
		{"removed at the end", "a\nb", "a", "     1  a\n-    2  b\n"},
		{"escaped", "", "\x1b[1m\"x\"", "-    1  \n+    1  \\x1b[1m\"x\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Diff(tt.want, tt.got); got != tt.diff {
				t.Errorf("got\n%swant\n%s", got, tt.diff)
			}
		})
	}
	if n := strings.Count(Diff(strings.Repeat("a\n", 1000), strings.Repeat("b\n", 1000)), "\n"); n > 2*shown+2 {
		t.Errorf("%d lines are shown", n)
	}
}
