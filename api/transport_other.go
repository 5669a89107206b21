//go:build !linux

package api

import "syscall"

// limitUnacknowledged does nothing: only Linux has the option, elsewhere
// keep-alive probes and pings have to do.
func limitUnacknowledged(_, _ string, _ syscall.RawConn) error { return nil }
