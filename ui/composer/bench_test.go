package composer

import (
	"strings"
	"testing"
)

// sizes are drafts that a key must cost the same in.
func sizes() map[string]string {
	return map[string]string{
		"1KB":          strings.Repeat("some words of text, ten of them make a line here\n", 20),
		"1MB":          strings.Repeat("some words of text, ten of them make a line here\n", 20_000),
		"100000lines":  strings.Repeat("short line\n", 100_000),
		"1MBline":      strings.Repeat("some words of a line ", 50_000),
		"1MBletters":   strings.Repeat("abcdefghij", 100_000),
		"1MBideograph": strings.Repeat("漢字かな交じり文", 42_000),
	}
}

// drawAll is what the program does after each key.
func (c *Composer) drawAll() int {
	x, y := c.Cursor()
	return c.Height() + len(c.View()) + x + y
}

func BenchmarkKey(b *testing.B) {
	for name, text := range sizes() {
		for _, place := range []Motion{TextStart, "middle", TextEnd} {
			c := New()
			c.SetMaxHeight(20)
			c.SetText(text)
			if place == "middle" {
				c.caret = c.lay.snap(len(text) / 2)
			} else {
				c.Move(place, false)
			}
			b.Run(name+"/"+string(place), func(b *testing.B) {
				for i := range b.N {
					if i%16 < 8 {
						c.Insert("x")
					} else {
						c.Delete(Left)
					}
					c.drawAll()
				}
			})
		}
	}
}

func BenchmarkMotion(b *testing.B) {
	for name, text := range sizes() {
		c := New()
		c.SetMaxHeight(20)
		c.SetText(text)
		for _, pair := range [][2]Motion{
			{Left, Right}, {Up, Down}, {WordLeft, WordRight}, {LineStart, LineEnd},
			{PageUp, PageDown}, {ParagraphUp, ParagraphDown}, {TextStart, TextEnd},
		} {
			c.caret = c.lay.snap(len(text) / 2)
			b.Run(name+"/"+string(pair[0]), func(b *testing.B) {
				for i := range b.N {
					c.Insert("y") // nothing measured is left
					c.Move(pair[i%2], false)
					c.drawAll()
				}
			})
		}
	}
}

func BenchmarkPaste(b *testing.B) {
	for _, size := range []int{1 << 20, 10 << 20} {
		text := strings.Repeat("0123456789abcd\r\n", size/16)
		b.Run(map[int]string{1 << 20: "1MB", 10 << 20: "10MB"}[size], func(b *testing.B) {
			for range b.N {
				c := New()
				c.Paste(text)
				c.drawAll()
			}
		})
		b.Run("expand", func(b *testing.B) {
			for range b.N {
				c := New()
				c.Paste(text)
				c.Expand()
				c.drawAll()
			}
		})
	}
}
