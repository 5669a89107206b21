package ui

import (
	"slices"
	"sort"
	"unicode/utf8"

	"waferchat/session"
	"waferchat/ui/markdown"
	"waferchat/ui/untrusted"
)

// scanBytes is how much text one command searches, drawBytes how much markdown it
// lays out to see what is read of it: some milliseconds of work each.
const (
	scanBytes = 1 << 20
	drawBytes = 16 << 10
)

// scanJob is a part of a search, made for a command: it shares nothing with the
// screen.
type scanJob struct {
	search    int // number of the search that it belongs to
	needle    *needle
	items     []scanItem
	style     *markdown.Style
	proses    *proses
	graphemes bool
}

// scanItem is a text to be searched from an offset on.
type scanItem struct {
	piece    *piece // to give back
	text     string // from the offset on
	from     int
	size     int // of the block's text when it was taken
	markdown bool
	live     bool
}

// scanned is what came of an item.
type scanned struct {
	piece      *piece
	from, size int
	live       bool
	hits       []span
}

// scan makes the next job of a search; ok is false when there is nothing to do.
func (f *finding) scan(s *scene, live session.MessageID) (job scanJob, ok bool) {
	job = scanJob{search: f.search, needle: f.needle, style: s.style, proses: &f.proses, graphemes: s.graphemes}
	bytes := 0
	for q := range f.pieces.due(live) {
		it := scanItem{piece: q, from: q.resume(f.needle), size: q.block.findSize(), live: q.arrives(live)}
		it.text = q.block.findText(it.from)
		for len(it.text) > 0 && !utf8.RuneStart(it.text[0]) {
			it.text = it.text[1:]
			it.from++
		}
		_, it.markdown = q.block.(*textBlock)
		job.items = append(job.items, it)
		if bytes += len(it.text); bytes >= scanBytes {
			break
		}
	}
	return job, len(job.items) > 0
}

// run searches. What it does not get to is left for the next job.
func (j *scanJob) run() []scanned {
	out := make([]scanned, 0, len(j.items))
	drawn := 0
	for i := range j.items {
		it := &j.items[i]
		hits, fresh := j.find(it)
		out = append(out, scanned{piece: it.piece, from: it.from, size: it.size, live: it.live, hits: hits})
		if drawn += fresh; drawn >= drawBytes {
			break
		}
	}
	return out
}

// find returns the hits in an item, and how many bytes of markdown were laid out
// for that.
func (j *scanJob) find(it *scanItem) (hits []span, fresh int) {
	text := it.text
	if !it.markdown {
		text = untrusted.Text(text)
	}
	if !j.graphemes {
		text = plainEmoji(text)
	}
	hits, hidden := j.needle.scan(text, 0, it.markdown)
	switch {
	case it.markdown && it.live: // how it will be read in the end is not known yet
		hits = merge(hits, hidden)
	case it.markdown && (len(hidden) > 0 || j.needle.substituted(text)):
		var more []span
		more, fresh = j.read(text, hidden)
		hits = merge(hits, more)
	}
	for i := range hits {
		hits[i].start += int32(it.from)
		hits[i].end += int32(it.from)
	}
	return hits, fresh
}

// read returns the hits in markdown as it is read, in those parts of it that have
// something hidden or may be drawn with other characters.
func (j *scanJob) read(text string, hidden []span) (hits []span, fresh int) {
	for start, end := range segments(text) {
		for len(hidden) > 0 && int(hidden[0].start) < start {
			hidden = hidden[1:]
		}
		part := text[start:end]
		if (len(hidden) == 0 || int(hidden[0].start) >= end) && !j.needle.substituted(part) {
			continue
		}
		p, made := j.proses.of(part, j.style)
		if made {
			fresh += len(part)
		}
		for _, h := range p.hits(j.needle) {
			hits = append(hits, span{h.start + int32(start), h.end + int32(start)})
		}
	}
	return hits, fresh
}

// merge adds to hits, which are in order, those of more that are none of them yet.
func merge(hits, more []span) []span {
	out := hits
	for _, m := range more {
		i := sort.Search(len(hits), func(i int) bool { return hits[i].end > m.start })
		if i == len(hits) || !hits[i].overlaps(m) {
			out = append(out, m)
		}
	}
	if len(out) == len(hits) {
		return hits
	}
	slices.SortFunc(out, func(a, b span) int { return int(a.start) - int(b.start) })
	kept := out[:1]
	for _, s := range out[1:] {
		if !s.overlaps(kept[len(kept)-1]) {
			kept = append(kept, s)
		}
	}
	return kept
}
