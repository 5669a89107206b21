package api

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// repeating gives a text again and again, until so many bytes have been given.
type repeating struct {
	text  string
	given int
	most  int
}

func (r *repeating) Read(p []byte) (int, error) {
	if r.given >= r.most {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) {
		n += copy(p[n:], r.text[(r.given+n)%len(r.text):])
	}
	r.given += n
	return n, nil
}

func TestCommentsTakeNoMemoryHoweverLongTheyGoOn(t *testing.T) {
	const most = 8 << 20
	for name, text := range map[string]string{
		"lines without a blank one":  ": keep-alive\n",
		"lines of another ending":    ": keep-alive\r\n",
		"one line that never ends":   strings.Repeat(":x", 1<<10),
		"blank lines between them":   ": keep-alive\n\n",
		"blank lines alone":          "\n",
		"empty comments":             ":\n",
		"carriage returns alone":     "\r",
		"long ones and blanks":       ": " + strings.Repeat("x", 100_000) + "\n\n",
		"comments that look like it": ":data: {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFramer(io.MultiReader(strings.NewReader("data: a\n"), &repeating{text: text, most: most}, strings.NewReader("\n\ndata: b\n\n")))
			passed, held := 0, 0
			buf := make([]byte, readSize)
			for {
				n, err := f.Read(buf)
				passed, held = passed+n, max(held, cap(f.out))
				if err != nil {
					break
				}
			}
			if passed > 100 || held > 4*readSize {
				t.Errorf("%d bytes were given on, %d held", passed, held)
			}
			if len(f.stray) > 0 {
				t.Errorf("stray: %.100q", f.stray)
			}
		})
	}
}

func TestCommentsLeaveWhatIsAroundThemAsItIs(t *testing.T) {
	long := strings.Repeat("y", 3*readSize)
	for _, c := range []struct{ name, body, want string }{
		{"inside of an event", "event: e\n: c\ndata: a\n:c\ndata: b\n\n", `[e "a\nb"]`},
		{"at the very beginning", "\xef\xbb\xbf: c\ndata: a\n\n", `[ "a"]`},
		{"a long one between two fields", "data: a\n:" + long + "\ndata: b\n\n", `[ "a\nb"]`},
		{"blank lines before an event", "\n\n\n: c\n\n\ndata: a\n\n\n\ndata: b\n\n", `[ "a"] [ "b"]`},
		{"a colon inside of a long line", "data: " + long + ":" + long + "\n\n", `[ "` + long + ":" + long + `"]`},
		{"at the end", "data: a\n\n: c", `[ "a"]`},
		{"behind a field that is never ended", "data: a\n: c", `[ "a"]`},
	} {
		for _, size := range []int{1, 7, readSize, 1 << 20} {
			for _, ends := range []string{"\n", "\r\n", "\r"} {
				var pieces []string
				for rest := strings.ReplaceAll(c.body, "\n", ends); rest != ""; {
					n := min(size, len(rest))
					pieces, rest = append(pieces, rest[:n]), rest[n:]
				}
				f := newFramer(&pieceReader{pieces: pieces, err: io.EOF})
				var got []string
				for e, err := range f.events() {
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, fmt.Sprintf("[%s %q]", e.Type, e.Data))
				}
				if all := strings.Join(got, " "); all != c.want || len(f.stray) > 0 {
					t.Errorf("%s, in pieces of %d: %.200s, stray %.100q", c.name, size, all, f.stray)
				}
			}
		}
	}
}
