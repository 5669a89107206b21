package cli

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"waferchat/config"
)

// logLimit is the size at which a log file is put aside, one generation.
const logLimit = 4 << 20

// openLog begins the log that --log-level asks for. Keys never reach it: they
// are of a type that prints as dots, and addresses are logged without userinfo.
func (p *program) openLog() error {
	if p.flags.log == "" {
		return nil
	}
	if err := oneOf("log-level", p.flags.log, "debug", "info", "warn", "error"); err != nil {
		return err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(p.flags.log)); err != nil {
		return fmt.Errorf("read log level: %w", err)
	}
	f, err := appendLog(p.paths.Log)
	if err != nil {
		p.note("there is no log: %v", err)
		return nil
	}
	p.onClose(func() { _ = f.Close() })
	p.log = slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: level}))
	p.log.Info("started", "version", p.sys.Version, "base_url", config.Redacted(p.config.BaseURL), "profile", p.config.Profile)
	return nil
}

// appendLog opens the log file, 0600, after putting a large one aside.
func appendLog(path string) (*os.File, error) {
	if path == "" {
		return nil, config.ErrNoHome
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err == nil && st.Size() > logLimit {
		_ = os.Rename(path, path+".1")
	}
	return os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}

// Crash writes the trace of a panic to the log file and tells where that is.
// It is for main, when everything else has failed.
func Crash(getenv func(string) string, value any, stack []byte) string {
	paths, err := config.FindPaths(getenv, goos)
	if err == nil {
		var f *os.File
		if f, err = appendLog(paths.Log); err == nil {
			_, err = fmt.Fprintf(f, "panic: %v\n\n%s\n", value, stack)
			_ = f.Close()
		}
	}
	if err != nil {
		return fmt.Sprintf("waferchat: internal error: %v\n%s", value, stack)
	}
	return fmt.Sprintf("waferchat: internal error, sorry. What was sent and received is saved. The details are in %s\n", paths.Log)
}
