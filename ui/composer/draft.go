package composer

import (
	"encoding/json"
	"fmt"
)

// Draft is an immutable text with its folded pastes and the caret: taking one
// and restoring it costs nothing. The zero Draft is empty. It may be shared.
type Draft struct {
	state
	plain string // the whole text, when it was never in a composer
}

// NewDraft is a draft of text as it would be typed, the caret at its end.
func NewDraft(text string) Draft { return Draft{plain: text} }

// Text is the whole text, folded pastes in full.
func (d Draft) Text() string {
	if d.text != nil {
		return d.text.full()
	}
	return valid(d.plain)
}

// Empty tells whether there is no text.
func (d Draft) Empty() bool { return d.text == nil && d.plain == "" }

// Snapshot is the present text, as it is, for [Composer.Restore].
func (c *Composer) Snapshot() Draft { return Draft{state: c.state} }

// Restore replaces the text by a draft as one undoable step.
func (c *Composer) Restore(d Draft) {
	if d.plain != "" {
		d.text = grow(valid(d.plain))
		d.caret = d.text.len()
	}
	if c.Empty() && d.Empty() {
		c.pastes = 0
		return
	}
	before := c.state
	c.state, c.top = d.state, 0
	c.changed(0)
	c.caret = c.lay.snap(c.caret)
	c.log.record(before, c.state, before.text.bytes()+d.text.bytes(), false)
	c.done("")
}

// stored is a draft as JSON.
type stored struct {
	Parts  []part `json:"parts"`
	Caret  int    `json:"caret"`  // bytes, a folded paste counts one
	Pastes int    `json:"pastes"` // the last number given
}

// part is a run of text, a folded one if it has a number.
type part struct {
	Text  string `json:"text"`
	Paste int    `json:"paste,omitempty"`
}

// State is the draft for storage, as JSON: text, folded pastes and caret.
func (c *Composer) State() ([]byte, error) {
	s := stored{Parts: []part{}, Caret: c.caret, Pastes: c.pastes}
	var run []byte
	flush := func() {
		if len(run) > 0 {
			s.Parts = append(s.Parts, part{Text: string(run)})
			run = run[:0]
		}
	}
	c.text.leaves(func(n *node) {
		if n.fold == nil {
			run = append(run, n.text...)
			return
		}
		flush()
		s.Parts = append(s.Parts, part{n.fold.text, n.fold.number})
	})
	flush()
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode draft: %w", err)
	}
	return data, nil
}

// SetState brings a stored draft back exactly. It is the beginning of another
// draft, not an edit: nothing before it can be undone. On an error the composer
// is as it was.
func (c *Composer) SetState(data []byte) error {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("decode draft: %w", err)
	}
	next := state{caret: s.Caret, pastes: max(s.Pastes, 0)}
	for _, p := range s.Parts {
		text := valid(p.Text)
		switch {
		case text == "":
		case p.Paste > 0:
			next.text = join(next.text, foldLeaf(newFold(p.Paste, text)))
			next.pastes = max(next.pastes, p.Paste)
		default:
			next.text = join(next.text, grow(text))
		}
	}
	c.state, c.log, c.top = next, undoLog{}, 0
	c.changed(0)
	c.caret = c.lay.snap(c.caret)
	c.done("")
	return nil
}
