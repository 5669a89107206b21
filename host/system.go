package host

import (
	"os"
	"os/exec"
	"runtime"
)

// System is how the program sees the machine. The zero value is the real one.
// It is safe for concurrent use.
type System struct {
	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string
	// LookPath finds programs; nil is exec.LookPath.
	LookPath func(string) (string, error)
	// GOOS is the operating system; "" is the one that the program was built
	// for.
	GOOS string
}

func (s System) env(name string) string {
	if s.Getenv == nil {
		return os.Getenv(name)
	}
	return s.Getenv(name)
}

func (s System) look(name string) (string, error) {
	if s.LookPath == nil {
		return exec.LookPath(name)
	}
	return s.LookPath(name)
}

func (s System) goos() string {
	if s.GOOS == "" {
		return runtime.GOOS
	}
	return s.GOOS
}

// wsl tells whether this is Linux inside Windows.
func (s System) wsl() bool {
	return s.goos() == "linux" && (s.env("WSL_DISTRO_NAME") != "" || s.env("WSL_INTEROP") != "")
}

// Remote tells whether the user is at the other end of an SSH connection.
func (s System) Remote() bool {
	return s.env("SSH_CONNECTION") != "" || s.env("SSH_TTY") != "" || s.env("SSH_CLIENT") != ""
}
