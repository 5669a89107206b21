// Package host is the system around the program: the keyring, a command that
// gives a key, the clipboard, the external editor, the program that opens links,
// the user's own commands, and the files that the user names.
//
// A [System] says how to look at the environment; its methods make commands
// and run the short ones. [Keys] keeps API keys, one per host, in the keyring
// or in a file. [WriteFile] replaces a file in one step. Nothing here waits
// without a limit or a context, and nothing knows what the keys or texts are for.
package host
