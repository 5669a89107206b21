package emulator

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Cassette is an answer as a server once sent it: its status and header, the
// pieces of its body with the time before each, and the way it ended. The
// values are shared with whatever is made of them and must not be changed
// afterwards.
//
// As a file it is lines of JSON objects:
//
//	{"status":200,"headers":{"Content-Type":["text/event-stream"]},"request":{"method":"POST","path":"/v1/chat/completions","body":"{…}"}}
//	{"after_ms":312.5,"bytes":"data: {…}\n\n"}
//	{"after_ms":0,"base64":"8J+Y"}
//	{"after_ms":1000,"end":"rst"}
//
// The first line has the status and the headers, and may name the request that
// was answered. Each line after it is one piece that arrived at once: as text,
// or in base64 where it is no valid UTF-8. after_ms is the time since the piece
// before in milliseconds, which may have decimals; the first counts from the
// header, and 0 may be left out. The last line is the end: eof for a proper one,
// rst for a connection that was reset, hang for one that stayed open and silent
// (see [End]). Blank lines do not count; anything else is an error.
type Cassette struct {
	Status  int
	Header  http.Header
	Request *RecordedRequest // nil when it is not known
	Pieces  []Piece
	// EndAfter is the time between the last piece and the end.
	EndAfter time.Duration
	End      End
}

// RecordedRequest is what a cassette keeps of the request that was answered. It
// has no header, since that is where keys are.
type RecordedRequest struct {
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Body   string `json:"body,omitempty"`
}

// Piece is a part of a body that arrived at once.
type Piece struct {
	After time.Duration // since the piece before
	Bytes []byte
}

// Reply replays the cassette in its own time, by the server's Sleep.
func (c Cassette) Reply() Reply { return c.reply(true) }

// ReplyAtOnce replays the cassette without its pauses, each piece still in a
// write of its own.
func (c Cassette) ReplyAtOnce() Reply { return c.reply(false) }

func (c Cassette) reply(timed bool) Reply {
	r := Reply{Status: c.Status, Header: http.Header{}}
	wait := func(d time.Duration) {
		if timed && d > 0 {
			r.Steps = append(r.Steps, Pause(d))
		}
	}
	size := 0
	for _, p := range c.Pieces {
		wait(p.After)
		r.Steps = append(r.Steps, Raw(p.Bytes))
		size += len(p.Bytes)
	}
	wait(c.EndAfter)
	r.Steps = append(r.Steps, c.End)
	for name, values := range c.Header {
		name = http.CanonicalHeaderKey(name)
		ofConnection := slices.Contains([]string{"Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade"}, name)
		if ofConnection || name == "Content-Length" && !slices.Equal(values, []string{fmt.Sprint(size)}) {
			continue // this connection has its own
		}
		r.Header[name] = slices.Clone(values)
	}
	return r
}

// cassetteLine is any line of a cassette; which fields are set tells which.
type cassetteLine struct {
	Status  *int             `json:"status,omitempty"`
	Headers http.Header      `json:"headers,omitempty"`
	Request *RecordedRequest `json:"request,omitempty"`
	AfterMS *float64         `json:"after_ms,omitempty"`
	Bytes   *string          `json:"bytes,omitempty"`
	Base64  *string          `json:"base64,omitempty"`
	End     *End             `json:"end,omitempty"`
}

// ReadCassette reads a cassette, see there for the format. An error names the
// line, counted from 1.
func ReadCassette(in io.Reader) (Cassette, error) {
	var c Cassette
	lines := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if lineErr := c.add(line); lineErr != nil {
				return Cassette{}, fmt.Errorf("read cassette, line %d: %w", number, lineErr)
			}
		}
		switch {
		case err == nil:
			continue
		case !errors.Is(err, io.EOF):
			return Cassette{}, fmt.Errorf("read cassette, line %d: %w", number, err)
		case c.End == "":
			return Cassette{}, fmt.Errorf("read cassette, line %d: it stops without an end", number)
		}
		return c, nil
	}
}

// add reads one line into the cassette.
func (c *Cassette) add(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	var l cassetteLine
	if err := d.Decode(&l); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	if d.More() {
		return errors.New("more than one object stands here")
	}
	head := l.Status != nil || l.Headers != nil || l.Request != nil
	body := l.AfterMS != nil || l.Bytes != nil || l.Base64 != nil || l.End != nil
	switch {
	case c.End != "":
		return errors.New("something stands behind the end")
	case head && body:
		return errors.New("status, headers and request have a line of their own")
	case c.Status == 0 && (!head || l.Status == nil):
		return errors.New("the first line must have the status")
	case c.Status != 0 && head:
		return errors.New("only the first line has status, headers and request")
	case head:
		return c.begin(l)
	}
	return c.addPiece(l)
}

func (c *Cassette) begin(l cassetteLine) error {
	if *l.Status < 200 || *l.Status > 599 {
		return fmt.Errorf("the status %d is not between 200 and 599", *l.Status)
	}
	for name, values := range l.Headers {
		if name == "" || strings.ContainsAny(name, " :\r\n\t") || strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") {
			return fmt.Errorf("the header %q is not valid", name)
		}
	}
	c.Status, c.Header, c.Request = *l.Status, l.Headers, l.Request
	return nil
}

// longestPause is the longest time between two pieces.
const longestPause = 24 * time.Hour

func (c *Cassette) addPiece(l cassetteLine) error {
	var after time.Duration
	if l.AfterMS != nil {
		if *l.AfterMS < 0 || *l.AfterMS > float64(longestPause/time.Millisecond) {
			return fmt.Errorf("after_ms %v is not between 0 and a day", *l.AfterMS)
		}
		after = time.Duration(math.Round(*l.AfterMS * float64(time.Millisecond)))
	}
	given := 0
	for _, is := range []bool{l.Bytes != nil, l.Base64 != nil, l.End != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("one of bytes, base64 and end is wanted")
	case l.Bytes != nil:
		c.Pieces = append(c.Pieces, Piece{after, []byte(*l.Bytes)})
	case l.Base64 != nil:
		b, err := base64.StdEncoding.DecodeString(*l.Base64)
		if err != nil {
			return fmt.Errorf("decode base64: %w", err)
		}
		c.Pieces = append(c.Pieces, Piece{after, b})
	case !slices.Contains([]End{EOF, RST, Hang}, *l.End):
		return fmt.Errorf("the end %q is none of eof, rst and hang", *l.End)
	default:
		c.EndAfter, c.End = after, *l.End
	}
	return nil
}
