package markdown

// Render lays out a whole text at a width (columns; anything below 1 counts as
// 1), with all colours. It may be called from any goroutine.
func Render(src string, width int, s *Style) []Line {
	b := []byte(src)
	normalize(b)
	doc, _ := parse(s.parser, b, nil)
	lay := func(aside bool) *printer {
		p := newPrinter(s, b, 0, width)
		p.aside = aside
		p.colors = func(c codeBlock) []tokenRun { return s.shared.tokens(c.lang, c.code) }
		p.document(doc, len(b)+1, nil)
		return p
	}
	p := lay(false)
	if !p.passed {
		return p.lines
	}
	p = lay(true) // footnotes are at the end
	lines := p.lines
	if n := len(lines); n > 0 && len(p.notes) > 0 {
		lines = append(lines, Line{Start: lines[n-1].End, End: lines[n-1].End})
	}
	return appendNotes(lines, p.notes)
}

// normalize turns carriage returns into what means a line break to the parser,
// in place, so that offsets stay true: CRLF becomes space and newline.
func normalize(b []byte) {
	for i, c := range b {
		if c != '\r' {
			continue
		}
		if b[i] = '\n'; i+1 < len(b) && b[i+1] == '\n' {
			b[i] = ' '
		}
	}
}
