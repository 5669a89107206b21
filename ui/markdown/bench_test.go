package markdown

import (
	"fmt"
	"math/rand"
	"testing"
	"time"
)

// BenchmarkStream streams a whole answer in deltas of four bytes with a flush
// after each; the cost of a delta should not depend on the size.
func BenchmarkStream(b *testing.B) {
	for _, size := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			src := longText(rand.New(rand.NewSource(1)), size)
			s := testStyle()
			deltas := 0
			for b.Loop() {
				m := NewStream(100, s)
				for i := 0; i < len(src); i += 4 {
					m.Append(src[i:min(i+4, len(src))])
					m.Flush()
					deltas++
				}
				m.End()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(deltas), "ns/delta")
		})
	}
}

// BenchmarkRender lays out whole answers; the code in them was highlighted before.
func BenchmarkRender(b *testing.B) {
	for _, size := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			src := longText(rand.New(rand.NewSource(1)), size)
			s := testStyle()
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Render(src, 100, s)
			}
		})
	}
}

// BenchmarkRenderCold lays out an answer whose code was not seen before.
func BenchmarkRenderCold(b *testing.B) {
	src := longText(rand.New(rand.NewSource(1)), 100_000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Render(src, 100, testStyle())
	}
}

// openBlocks are texts that are one block without an end, but for the first.
var openBlocks = []struct{ name, head, piece string }{
	{"paragraphs", "", "A paragraph with **bold** words and `code` in it, as they come.\n\n"},
	{"list", "", "- item **b** `c` and a few words more\n"},
	{"fence", "```go\n", "\tx := f(\"a\", 1) // c\n"},
	{"table", "| a | b |\n|---|---|\n", "| one *or* two | two and `three` |\n"},
	{"quote", "", "> Words that somebody **said**.\n>\n"},
	{"line", "", "word and word without an end "},
	{"lines", "", "A line of a paragraph that does not end.\n"},
	{"quotedlines", "", "> A line of a quoted paragraph that does not end.\n"},
}

// BenchmarkOpen streams 1 MB of one block, piece by piece with a flush after
// each, and tells what a piece costs in the second tenth of it and in the last.
func BenchmarkOpen(b *testing.B) {
	const size = 1_000_000
	for _, c := range openBlocks {
		b.Run(c.name, func(b *testing.B) {
			s := testStyle()
			var parts [10]time.Duration
			pieces := size / len(c.piece)
			for b.Loop() {
				m := NewStream(100, s)
				m.Append(c.head)
				for i := range pieces {
					start := time.Now()
					m.Append(c.piece)
					m.Flush()
					parts[i*10/pieces] += time.Since(start)
				}
			}
			per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(b.N*pieces/10) }
			b.ReportMetric(per(parts[1]), "ns/early")
			b.ReportMetric(per(parts[9]), "ns/late")
			b.ReportMetric(per(parts[9])/per(parts[1]), "late/early")
			b.ReportMetric(0, "ns/op")
		})
	}
}
