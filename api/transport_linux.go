package api

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnacknowledged makes the kernel give a connection up when what was sent
// stays unacknowledged; without it, it tries for a quarter of an hour.
func limitUnacknowledged(_, _ string, c syscall.RawConn) error {
	// Where the option is not known, keep-alive probes have to do.
	_ = c.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(2*deadPeer.Milliseconds()))
	})
	return nil
}
