package api

import (
	"net"
	"sync"
	"testing"
)

// line is a TCP relay that can be cut off without a FIN, like a network that
// went away.
type line struct {
	addr string
	mu   sync.Mutex
	dead chan struct{}
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	r := &line{addr: l.Addr().String(), dead: make(chan struct{})}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			t.Cleanup(func() { in.Close(); out.Close() })
			r.mu.Lock()
			dead := r.dead
			r.mu.Unlock()
			go relay(out, in, dead)
			go relay(in, out, dead)
		}
	}()
	return r
}

func relay(to, from net.Conn, dead chan struct{}) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		select {
		case <-dead:
			return // and neither side hears of it
		default:
		}
		if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
			to.Close()
			return
		}
	}
}

// blackhole makes the connections of now swallow everything.
func (l *line) blackhole() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.dead)
	l.dead = make(chan struct{})
}
