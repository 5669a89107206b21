package api

import (
	"bytes"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/tmaxmax/go-sse"
)

const (
	// maxEventSize bounds one event. Whole tool arguments and images in one
	// line reach megabytes; nothing real reaches this.
	maxEventSize = 64 << 20
	// readSize is how much is read from the network at once.
	readSize = 32 << 10
)

// byteOrderMark is what some servers begin a text with.
const byteOrderMark = "\xef\xbb\xbf"

// framer stands between a body and go-sse's reader. It gives complete events
// on as soon as they are there, and unfinished ones in growing portions, so
// that a long line is not searched again for every packet. It closes the last
// event, turns the "error:" lines of old llama.cpp servers into events, and
// keeps lines that are no fields away as stray text. Comments, and blank lines
// that end no event, go no further: go-sse would keep them until an event ends.
type framer struct {
	body  io.Reader
	limit int   // of one event, in bytes
	err   error // how the body ended; io.EOF when cleanly
	stray []byte

	in      []byte // read buffer
	out     []byte // lines on their way
	off     int    // read position in out
	ready   int    // end of what may be given out
	line    int    // start of the unfinished line in out
	giant   bool   // the beginning of the unfinished line was given out
	noise   bool   // the unfinished line is stray
	comment bool   // the unfinished line is a comment
	open    bool   // a field has come since the last complete event
	afterR  bool   // the last byte was a carriage return
	begun   bool   // the first line is over
	given   int    // bytes given out since the last complete event
}

func newFramer(body io.Reader) *framer {
	return &framer{body: body, limit: maxEventSize, in: make([]byte, readSize)}
}

// events gives the events of the body. What ended it is in f.err afterwards.
func (f *framer) events() iter.Seq2[sse.Event, error] {
	return sse.Read(f, &sse.ReadConfig{MaxEventSize: f.limit})
}

// Read implements io.Reader for go-sse. It ends with io.EOF however the body
// ended, so that the last event is never lost.
func (f *framer) Read(p []byte) (int, error) {
	for f.off >= f.ready {
		if f.err != nil {
			return 0, io.EOF
		}
		f.compact()
		n, err := f.body.Read(f.in)
		f.take(f.in[:n])
		if err != nil {
			f.err = err
			f.dropHalfName()
			f.take([]byte("\n\n"))
			f.ready = len(f.out)
		}
	}
	n := copy(p, f.out[f.off:f.ready])
	f.off += n
	return n, nil
}

// compact moves what is not given out yet to the front.
func (f *framer) compact() {
	if f.off == 0 {
		return
	}
	f.out = f.out[:copy(f.out, f.out[f.off:])]
	f.line -= f.off
	f.ready -= f.off
	f.off = 0
}

// take appends bytes from the network, line by line.
func (f *framer) take(b []byte) {
	if f.afterR && len(b) > 0 {
		f.afterR = false
		if b[0] == '\n' {
			b = b[1:]
		}
	}
	ends := "\n"
	if bytes.IndexByte(b, '\r') >= 0 {
		ends = "\r\n"
	}
	for len(b) > 0 {
		i := bytes.IndexAny(b, ends)
		if i < 0 {
			f.add(b)
			break
		}
		f.add(b[:i])
		f.endLine()
		next := i + 1
		if b[i] == '\r' {
			if next == len(b) {
				f.afterR = true
			} else if b[next] == '\n' {
				next++
			}
		}
		b = b[next:]
	}
	if unfinished := len(f.out) - f.ready; unfinished >= readSize && unfinished >= f.given {
		f.portion()
	}
}

// portion gives an unfinished event on, in portions that double.
func (f *framer) portion() {
	switch line := f.out[f.line:]; {
	case len(line) == 0 || f.giant:
	case f.isStray(line):
		f.keepStray(line)
		f.out, f.noise = f.out[:f.line], true
	default:
		f.giant, f.begun = true, true
	}
	f.given += len(f.out) - f.ready
	f.ready, f.line = len(f.out), len(f.out)
}

// add appends a piece of a line.
func (f *framer) add(b []byte) {
	if f.noise {
		f.keepStray(b)
		return
	}
	if f.comment {
		return
	}
	f.out = append(f.out, b...)
	if line := f.unmarked(f.out[f.line:]); !f.giant && len(line) > 0 && line[0] == ':' {
		f.out, f.comment = f.out[:f.line], true
	}
}

// endLine finishes the line at f.line. Line ends are all one newline from
// here on.
func (f *framer) endLine() {
	line := f.out[f.line:]
	if !f.begun {
		f.out = append(f.out[:f.line], f.unmarked(line)...)
		line = f.out[f.line:]
		f.begun = true
	}
	switch {
	case f.comment:
	case f.noise:
		f.keepStray(append(line, '\n'))
		f.out = f.out[:f.line]
	case f.giant:
		f.out, f.open = append(f.out, '\n'), true
	case len(line) == 0 && !f.open:
	case len(line) == 0:
		f.out, f.open = append(f.out, '\n'), false
		f.ready, f.given = len(f.out), 0
	case bytes.HasPrefix(line, []byte("error:")):
		data := bytes.Clone(line[len("error:"):])
		f.out, f.open = append(append(append(f.out[:f.line], "event: error\ndata:"...), data...), '\n'), true
	case f.isStray(line):
		f.keepStray(append(line, '\n'))
		f.out = f.out[:f.line]
	default:
		f.out, f.open = append(f.out, '\n'), true
	}
	f.line = len(f.out)
	f.giant, f.noise, f.comment = false, false, false
}

// isStray tells whether a line is none of the fields that the standard of
// server-sent events has.
func (f *framer) isStray(line []byte) bool {
	name, _, _ := bytes.Cut(f.unmarked(line[:min(len(line), 16)]), []byte(":"))
	return len(name) > 0 && !slices.Contains(fieldNames(), string(name))
}

// fieldNames are the fields of server-sent events.
func fieldNames() []string { return []string{"data", "event", "id", "retry"} }

// dropHalfName takes the last line away when the body ended within the name of
// its field: that says nothing, and is no message of a server either.
func (f *framer) dropHalfName() {
	line := f.unmarked(f.out[f.line:])
	for _, name := range append(fieldNames(), "error", byteOrderMark) {
		if len(line) < len(name) && strings.HasPrefix(name, string(line)) && !f.giant && !f.noise {
			f.out = f.out[:f.line]
			return
		}
	}
}

// unmarked is a line without the byte order mark that the first one may have.
func (f *framer) unmarked(line []byte) []byte {
	if f.begun {
		return line
	}
	return bytes.TrimPrefix(line, []byte(byteOrderMark))
}

func (f *framer) keepStray(b []byte) {
	f.stray = append(f.stray, b[:min(len(b), max(0, maxStray-len(f.stray)))]...)
}
