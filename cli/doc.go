// Package cli is the command line: it turns arguments, environment and files
// into values, and runs what they ask for: print mode, the terminal program,
// and the commands around them.
//
// [Run] does all of it and returns the exit status; it touches nothing of the
// process but what a [System] gives it. The terminal program itself is not
// here: it is handed a [Start] and called through one function value. Only this
// package reads the configuration.
package cli
