// Package openai checks the emulator from outside, with the official OpenAI
// client. The API promises that OpenAI's clients work by changing the base URL
// alone; here one of them does, so that this project's own client and its own
// emulator cannot agree on a misreading of the API's document.
//
// It has tests only and is a module of its own, so that the official client is
// no dependency of the program: `go test ./...` has to be run in this directory,
// and after a change of the main module's requirements `go mod tidy`, too.
package openai
