//go:build unix

package session

import "syscall"

const posix = true

// umask sets the mask and returns what sets the old one again.
func umask(mask int) func() {
	old := syscall.Umask(mask)
	return func() { syscall.Umask(old) }
}
