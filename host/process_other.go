//go:build !unix

package host

import "os/exec"

// ownSession does nothing: there are no sessions here.
func ownSession(*exec.Cmd) {}

// endSession kills a command.
func endSession(cmd *exec.Cmd, _ bool) error { return cmd.Process.Kill() }
