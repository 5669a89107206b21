package api

import (
	"encoding/json"
	"reflect"
	"strings"
)

// twin knows a frame that others are like. Nearly all frames of a stream differ
// from the one before in the text of their delta alone; what is equal byte for
// byte need not be decoded again, which is most of what a delta costs.
type twin struct {
	head, tail string // the frame before and behind the text; no head: none is known
	choice     choice // the frame's one choice
	text       *string
	extra      []member // the frame's own fields that nobody knows
	news       bool     // other frames have changed what is known of such fields
	used       bool     // since it was learned
	// wait is how many frames are decoded before one is looked at again, and
	// pause how many those were the last time: frames that always differ are
	// soon left alone.
	wait, pause int
}

const (
	// maxPause bounds how long nothing is learned, in frames.
	maxPause = 1000
	// maxTwin bounds the size of a frame that is worth knowing, in bytes.
	maxTwin = 16 << 10
)

// field is a field of a delta that a text may stream in.
type field struct {
	name string
	of   func(*delta) *string
}

// streamed are the fields that twins are looked for in.
func streamed() []field {
	return []field{
		{"content", func(d *delta) *string { return &d.Content.text }},
		{"reasoning_content", func(d *delta) *string { return &d.ReasoningContent.text }},
		{"reasoning", func(d *delta) *string { return &d.Reasoning.text }},
	}
}

// like tells whether a frame equals the twin but for what stands in the place
// of the text.
func (t *twin) like(frame string) bool {
	return t.head != "" && len(frame) > len(t.head)+len(t.tail) &&
		strings.HasPrefix(frame, t.head) && strings.HasSuffix(frame, t.tail)
}

// take returns the choice of a frame that is like the twin, nil if the frame is
// to be decoded.
func (t *twin) take(frame string) *choice {
	if !t.like(frame) {
		return nil
	}
	text := frame[len(t.head) : len(frame)-len(t.tail)]
	if !literal(text) {
		return nil
	}
	t.used = true
	*t.text = strings.Clone(text) // the frame is much longer
	return &t.choice
}

// literal tells whether a text stands for itself between the quotes of a JSON
// string.
func literal(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// learn makes a frame that had to be decoded the twin of those to come, if it
// holds the text of one choice and nothing else.
func (t *twin) learn(frame string) {
	if t.wait > 0 || len(frame) > maxTwin || t.like(frame) {
		t.wait = max(0, t.wait-1)
		return
	}
	t.pause = min(2*t.pause+1, maxPause)
	if t.used {
		t.pause = 0
	}
	t.wait, t.used, t.head = t.pause, false, ""
	for _, f := range streamed() {
		if t.try(f, frame) {
			return
		}
	}
}

// try makes a frame the twin if a field's text is where it seems to be: another
// text there must change the field's and nothing else.
func (t *twin) try(f field, frame string) bool {
	head, text, tail, ok := cutText(f.name, frame)
	if !ok {
		return false
	}
	var was, now chunk
	const other = "\x7f other \x7f"
	whole, changed := []byte(frame), []byte(head+other+tail)
	if json.Unmarshal(whole, &was) != nil || json.Unmarshal(changed, &now) != nil ||
		len(was.Choices) != 1 || len(now.Choices) != 1 {
		return false
	}
	was.scan(whole)
	now.scan(changed)
	plain := choice{Index: was.Choices[0].Index, extra: was.Choices[0].extra}
	*f.of(&plain.Delta) = text
	if !reflect.DeepEqual(was.Choices[0], plain) || len(was.Error) > 0 || string(was.Object) == "error" || was.Usage.usage() != nil {
		return false
	}
	*f.of(&was.Choices[0].Delta) = other
	if !reflect.DeepEqual(was, now) {
		return false
	}
	t.head, t.tail, t.choice = strings.Clone(head), strings.Clone(tail), plain
	t.text = f.of(&t.choice.Delta)
	t.extra, t.news = was.extra, false
	return true
}

// cutText cuts a frame around the string that follows the first mention of a
// key. The quotes belong to the head and the tail.
func cutText(key, frame string) (head, text, tail string, ok bool) {
	_, rest, ok := strings.Cut(frame, `"`+key+`"`)
	if !ok {
		return "", "", "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " :"), `"`)
	end := strings.IndexByte(rest, '"')
	if !ok || end < 1 || !literal(rest[:end]) {
		return "", "", "", false
	}
	head = frame[:len(frame)-len(rest)]
	return head, rest[:end], rest[end:], true
}
