package markdown

import (
	"fmt"
	"math/rand"
	"testing"
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

// BenchmarkOpen streams one block that never ends, a delta at a time.
func BenchmarkOpen(b *testing.B) {
	for _, c := range []struct{ name, head, piece string }{
		{"list", "", "- item **b** `c`\n"},
		{"code", "```go\n", "\tx := f(\"a\", 1) // c\n"},
		{"paragraph", "", "word and word "},
		{"table", "| a | b |\n|---|---|\n", "| one | two |\n"},
	} {
		for _, size := range []int{10_000, 100_000} {
			b.Run(fmt.Sprint(c.name, size), func(b *testing.B) {
				s := testStyle()
				deltas := 0
				for b.Loop() {
					m := NewStream(100, s)
					m.Append(c.head)
					for n := 0; n < size; n += len(c.piece) {
						m.Append(c.piece)
						m.Flush()
						deltas++
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(deltas), "ns/delta")
			})
		}
	}
}
