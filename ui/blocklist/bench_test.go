package blocklist

import (
	"fmt"
	"testing"
	"time"
)

func benchList(n int) (*List, []*textBlock) {
	l := New(1)
	l.SetSize(100, 45)
	blocks := make([]*textBlock, n)
	for i := range blocks {
		blocks[i] = &textBlock{name: "b", length: 3000}
		l.Append(blocks[i])
	}
	return l, blocks
}

// operations are what a user does in a conversation, once each.
var operations = []struct {
	name string
	run  func(l *List, blocks []*textBlock, i int)
}{
	{"frame", func(*List, []*textBlock, int) {}},
	{"stream", func(l *List, blocks []*textBlock, _ int) { blocks[len(blocks)-1].tick() }},
	{"scroll", func(l *List, _ []*textBlock, i int) { l.ScrollBy(3 - 6*(i/20%2)) }},
	{"resize", func(l *List, _ []*textBlock, i int) { l.SetSize(90+i%20, 45) }},
	{"jump", func(l *List, _ []*textBlock, i int) { l.ScrollBy(1500 - 3000*(i%2)) }},
}

func benchOperation(b *testing.B, run func(*List, []*textBlock, int), n int) {
	l, blocks := benchList(n)
	l.ScrollBy(-1600)
	l.Rows()
	i := 0
	for b.Loop() {
		run(l, blocks, i)
		l.Rows()
		l.Thumb()
		l.NewBelow()
		i++
	}
}

func BenchmarkList(b *testing.B) {
	for _, op := range operations {
		for _, n := range []int{100, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", op.name, n), func(b *testing.B) { benchOperation(b, op.run, n) })
		}
	}
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("open/%d", n), func(b *testing.B) {
			for b.Loop() {
				l, _ := benchList(n)
				l.Rows()
			}
		})
	}
}

// BenchmarkRatio reports how much dearer an operation is with 10,000 blocks than
// with 100; it should stay near 1.
func BenchmarkRatio(b *testing.B) {
	for _, op := range operations {
		b.Run(op.name, func(b *testing.B) {
			var took [2]time.Duration
			var lists [2]*List
			var blocks [2][]*textBlock
			lists[0], blocks[0] = benchList(100)
			lists[1], blocks[1] = benchList(10_000)
			for _, l := range lists {
				l.ScrollBy(-1600)
			}
			for i := 0; b.Loop(); i++ {
				for j, l := range lists {
					start := time.Now()
					op.run(l, blocks[j], i)
					l.Rows()
					l.Thumb()
					l.NewBelow()
					took[j] += time.Since(start)
				}
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
		})
	}
}
