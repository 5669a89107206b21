package ui

// What is searched of each kind of block, and how it opens for a hit.

func (b *userBlock) findText(from int) string { return b.text[from:] }
func (b *userBlock) findSize() int            { return len(b.text) }
func (b *userBlock) findGrows() bool          { return false }

func (b *userBlock) unfold() func() { return unfoldBy(b.toggle, &b.unfolded) }

// unfoldBy unfolds what a func folds and unfolds.
func unfoldBy(toggle func(), unfolded *bool) (fold func()) {
	if *unfolded {
		return nil
	}
	toggle()
	return func() {
		if *unfolded {
			toggle()
		}
	}
}

// A live answer is searched as its stream has it, which is as it is drawn.

func (b *textBlock) findText(from int) string {
	if b.live && b.stream != nil {
		return b.stream.Source()[from:]
	}
	return b.source()[from:]
}

func (b *textBlock) findSize() int {
	if b.live && b.stream != nil {
		return len(b.stream.Source())
	}
	return len(b.source())
}

func (b *textBlock) findGrows() bool { return b.live }

// Live reasoning is kept as it is drawn.

func (b *reasoningBlock) findText(from int) string {
	if b.wrapped != nil {
		return string(b.wrapped.text[from:])
	}
	return b.text[from:]
}

func (b *reasoningBlock) findSize() int {
	if b.wrapped != nil {
		return len(b.wrapped.text)
	}
	return len(b.text)
}

func (b *reasoningBlock) findGrows() bool { return b.wrapped != nil }

func (b *reasoningBlock) unfold() func() {
	if b.view() == reasoningFull {
		return nil
	}
	before := b.own
	b.own = reasoningFull
	b.changed()
	return func() {
		if b.own == reasoningFull {
			b.own = before
			b.changed()
		}
	}
}

func (b *toolBlock) findText(from int) string { return b.written()[from:] }
func (b *toolBlock) findSize() int            { return len(b.name) + len(toolGap) + b.text.Len() }
func (b *toolBlock) findGrows() bool          { return false }

func (b *toolBlock) unfold() func() { return unfoldBy(b.toggle, &b.unfolded) }
