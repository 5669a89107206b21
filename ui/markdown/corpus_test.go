package markdown

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// answers are the texts in testdata/answers, by name.
func answers(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/answers/*.md")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d answers: %v", len(names), err)
	}
	m := map[string]string{}
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		m[filepath.Base(n)] = string(b)
	}
	return m
}

// commonMark are the examples of the CommonMark specification as the parser's
// module has them.
func commonMark(t testing.TB) []string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct{ Markdown string }
	if err := json.Unmarshal(b, &examples); err != nil || len(examples) < 600 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	var texts []string
	for _, e := range examples {
		texts = append(texts, e.Markdown)
	}
	return texts
}

// streamed feeds a text in random pieces and compares with the whole: what is
// literal also before the end, with the text so far.
func streamed(t *testing.T, what, src string, width int, s *Style, r *rand.Rand, most int) {
	t.Helper()
	m, literal := NewStream(width, s), NewStream(width, s)
	literal.literal = true
	m.divideFrom = []int{1, divideFrom}[r.Intn(2)]
	literal.divideFrom = m.divideFrom
	sure := strings.IndexByte(src, '\r') < 0 && !strings.Contains(src, "]:") // a definition works when it is over
	for i := 0; i < len(src); {
		n := min(1+r.Intn(most), len(src)-i)
		for _, m := range []*Stream{m, literal} {
			m.Append(src[i : i+n])
			m.Flush()
		}
		i += n
		checkLines(t, src[:i], width, linesOf(m))
		if got, want := plain(linesOf(literal)), plain(Render(src[:i], width, s)); sure && got != want {
			t.Fatalf("%s at %d after %q:\n got %s\nwant %s", what, width, src[max(0, i-60):i], got, want)
		}
	}
	want := Render(src, width, s)
	checkLines(t, src, width, want)
	for _, m := range []*Stream{m, literal} {
		m.End()
		settle(t, m)
		compare(t, fmt.Sprintf("%s at %d", what, width), linesOf(m), want)
	}
	if t.Failed() {
		t.Fatalf("source %q", src)
	}
}

func TestAnswersStreamAsTheyRender(t *testing.T) {
	s := testStyle()
	r := rand.New(rand.NewSource(1))
	for name, src := range answers(t) {
		streamed(t, name, src, 1, s, r, 400)
		streamed(t, name, src, 11, s, r, 200)
		streamed(t, name, src, 80, s, r, 60)
		streamed(t, name, strings.ReplaceAll(src, "\n", "\r\n"), 60, s, r, 150)
		streamed(t, name, "> "+strings.ReplaceAll(src, "\n", "\n> "), 60, s, r, 150)
		streamed(t, name, "- "+strings.ReplaceAll(src, "\n", "\n  "), 60, s.WrapCode(false), r, 150)
	}
}

func TestCommonMarkExamplesStreamAsTheyRender(t *testing.T) {
	s := testStyle()
	r := rand.New(rand.NewSource(2))
	for i, src := range commonMark(t) {
		streamed(t, fmt.Sprint("example ", i+1), src, []int{12, 60}[i%2], s, r, 4)
		checkSelections(t, src, Render(src, 20, s), 20, r)
	}
}

func TestMixedExamplesStreamAsTheyRender(t *testing.T) {
	s := testStyle()
	r := rand.New(rand.NewSource(3))
	examples := commonMark(t)
	for i := range 120 {
		var b strings.Builder
		for range 2 + r.Intn(4) {
			b.WriteString(examples[r.Intn(len(examples))])
			b.WriteString(snippets[r.Intn(len(snippets))])
		}
		src := b.String()
		if unsettled(src) {
			continue
		}
		streamed(t, fmt.Sprint("mixture ", i), src, 30, s, r, 30)
	}
}

// unsettled tells whether a text has lines that the parser itself takes for one
// thing or another depending on what comes later: marks of a heading below a
// table.
func unsettled(src string) bool {
	for _, line := range strings.Split(src, "\n") {
		if t := strings.Trim(line, " \t>"); t != "" && (strings.Trim(t, "-") == "" || strings.Trim(t, "=") == "") && t != line {
			return true
		}
	}
	return false
}
