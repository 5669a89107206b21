package ui

import "testing"

func TestLayoutFitsEveryScreen(t *testing.T) {
	for w := 1; w <= 300; w += 7 {
		for h := 1; h <= 100; h++ {
			for _, prompt := range []int{0, 1, 3, 1000} {
				l := arrange(w, h, prompt)
				if l.tooSmall {
					if w >= minWidth && h >= minHeight {
						t.Fatalf("%dx%d is said to be too small", w, h)
					}
					continue
				}
				if l.listH < 3 || l.promptH < 1 {
					t.Fatalf("%dx%d prompt %d: no room: %+v", w, h, prompt, l)
				}
				if l.list+l.listH > l.rule || l.list+l.listH < l.rule-1 || l.rule+1 != l.prompt || l.prompt+l.promptH != l.status || l.status != h-1 {
					t.Fatalf("%dx%d prompt %d: rows overlap or are missing: %+v", w, h, prompt, l)
				}
			}
		}
	}
}
