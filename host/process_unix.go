//go:build unix

package host

import (
	"os/exec"
	"syscall"
)

// ownSession makes a command, once started, the leader of a session without a
// terminal.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endSession tells a command and all its children to end, or kills them.
func endSession(cmd *exec.Cmd, kill bool) error {
	sig := syscall.SIGTERM
	if kill {
		sig = syscall.SIGKILL
	}
	return syscall.Kill(-cmd.Process.Pid, sig)
}
