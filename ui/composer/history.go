package composer

// History recalls earlier drafts, as Up and Down at the edges of the composer
// do, and keeps the draft that was being written meanwhile. The zero History
// is empty. It is used by one goroutine.
type History struct {
	entries []Draft // oldest first
	at      int     // the recalled one, len(entries) when none is
	live    Draft
}

// NewHistory is a history of texts, the oldest first.
func NewHistory(texts ...string) *History {
	h := &History{}
	for _, t := range texts {
		h.Add(NewDraft(t))
	}
	return h
}

// Add appends a draft, unless it is empty or says what the newest says, and
// ends the recalling.
func (h *History) Add(d Draft) {
	if n := len(h.entries); !d.Empty() && (n == 0 || h.entries[n-1].Text() != d.Text()) {
		h.entries = append(h.entries, d)
	}
	h.Reset()
}

// Reset ends the recalling: Prev begins with the newest again.
func (h *History) Reset() { h.at, h.live = len(h.entries), Draft{} }

// Prev is the next older draft; false when there is none. What is in the
// composer is given to it, and kept when the recalling begins.
func (h *History) Prev(live Draft) (Draft, bool) {
	if h.at == 0 {
		return Draft{}, false
	}
	if h.at == len(h.entries) {
		h.live = live
	}
	h.at--
	return h.entries[h.at], true
}

// Next is the next newer draft, at last the live one as Prev was given it;
// false when that one is there already.
func (h *History) Next() (Draft, bool) {
	if h.at == len(h.entries) {
		return Draft{}, false
	}
	if h.at++; h.at == len(h.entries) {
		live := h.live
		h.live = Draft{}
		return live, true
	}
	return h.entries[h.at], true
}
