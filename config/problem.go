package config

import (
	"fmt"
	"strings"
)

// Problem is a mistake in the configuration. It never repeats a value, which
// may be a secret in the wrong place.
type Problem struct {
	// Source is a file's path, an environment variable, or a flag.
	Source string
	// Line and Column are 1-based, 0 outside of files. Columns count bytes.
	Line, Column int
	Message      string
	// Option is the option that was meant, if it is known.
	Option string
}

// Error writes the problem as file:line:column: message.
func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s %s", p.Source, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Source, p.Line, p.Column, p.Message)
}

// Usage tells whether the mistake was made on the command line.
func (p Problem) Usage() bool { return p.Line == 0 && strings.HasPrefix(p.Source, "-") }

func (o Origin) problem(option, format string, args ...any) Problem {
	return Problem{Source: o.Source, Line: o.Line, Column: o.Column, Option: option,
		Message: fmt.Sprintf(format, args...)}
}
