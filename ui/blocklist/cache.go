package blocklist

// maxLines bounds the rows that are kept laid out and not on screen.
const maxLines = 20_000

// cache holds the layouts in order of use, bounded by the sum of their rows. A
// ring of entries, so that it costs no allocation: next goes from the newest to
// the oldest.
type cache struct {
	newest, oldest *entry
	lines          int
	pass           uint64 // of settle; what is used in the current one is on screen
}

// cached is what an entry keeps for the cache.
type cached struct {
	layout     Layout
	at         key // what the layout is for
	rows       int
	pass       uint64
	prev, next *entry
}

// put replaces the entry's layout and makes it the newest.
func (c *cache) put(e *entry, at key, layout Layout) {
	c.drop(e)
	e.layout, e.at, e.rows = layout, at, max(layout.Len(), 0)
	c.lines += e.rows
	c.push(e)
}

// use makes an entry with a layout the newest.
func (c *cache) use(e *entry) {
	if c.newest != e {
		c.unlink(e)
		c.push(e)
	}
	e.pass = c.pass
}

// drop forgets the entry's layout.
func (c *cache) drop(e *entry) {
	if e.layout == nil {
		return
	}
	c.unlink(e)
	c.lines -= e.rows
	e.cached = cached{}
}

// trim drops the oldest layouts until the bound holds, but none that was used in
// this pass.
func (c *cache) trim() {
	for c.lines > maxLines && c.oldest != nil && c.oldest.pass != c.pass {
		c.drop(c.oldest)
	}
}

func (c *cache) push(e *entry) {
	e.pass = c.pass
	e.prev, e.next = nil, c.newest
	if c.newest != nil {
		c.newest.prev = e
	} else {
		c.oldest = e
	}
	c.newest = e
}

func (c *cache) unlink(e *entry) {
	if e.prev != nil {
		e.prev.next = e.next
	} else {
		c.newest = e.next
	}
	if e.next != nil {
		e.next.prev = e.prev
	} else {
		c.oldest = e.prev
	}
	e.prev, e.next = nil, nil
}
