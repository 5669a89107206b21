//go:build !unix

package session

const posix = false

func umask(int) func() { return func() {} }
