// Package ui is the terminal program: one Bubble Tea [Model], its components,
// its keys and its commands. Everything a user sees in the terminal program is
// drawn here.
//
// [New] makes the Model from [Deps], which hold all that it needs from outside:
// it opens no file, socket or environment variable itself. Update routes a
// message to the first taker (overlay, then global keys, then the focused pane)
// and does no I/O; commands do. Turns run in package chat and go on whether or
// not anybody watches them.
//
// It does not talk to servers, store anything by itself, or know the flags of
// the command line.
package ui
