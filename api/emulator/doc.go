// Package emulator plays the Wafer Serverless API: the catalogue and chat
// completions, streamed and whole, with the answers of a script instead of a
// model. It is for the demo, for tests, benchmarks and screenshots.
//
// [Start] makes a server on a loopback port; [New] makes the [http.Handler]
// alone; [StartHTTP2] makes one that breaks answers off the way HTTP/2 does.
// Without a script it answers as the labelled demo: what the last message asks
// for decides the text, and every answer in prose says that no model wrote it.
// [Server.Script] queues raw replies instead, byte by byte if need be:
//
//	s.Script(emulator.Stream(emulator.C("a"), emulator.Pause(time.Second), emulator.F("stop"), emulator.U, emulator.D))
//
// [Server.Requests] gives what arrived and [Server.Sent] what was sent. A
// [Cassette] is an answer of a real server: a [Recorder] saves one, and
// [ReadCassette] makes a reply of it.
//
// # Where the document leaves a choice
//
// A JSON Schema that is not valid, or that the demo finds no value for, is
// refused with 400 model_request_rejected, since the document has no code of
// its own for it; a value that is given has been validated. For the parameters
// of a tool an invalid schema is tool_schema_invalid; a tool without arguments
// that satisfy it is not called, and refused as above when it must be. A
// grammar is GBNF or Lark's, in response_format.grammar or .definition; one
// that cannot be read, and a regular expression beyond Go's, is 400
// unsupported_value. Where regex and response_format meet, regex decides. What
// a card says nothing about (the flag logprobs) is allowed, but n above 1, regex
// and grammar want a card that says so. A wrong type or number is 422
// schema_validation_failed with the field in param.
//
// Images by https URL are not fetched; their host decides, see picture_link.go.
// The message "error" lists the failures that can be asked for: every
// documented code, and streams that break.
//
// It is not for talking to real servers, and it shares no code with the client
// that it tests, so that the two cannot share one misreading of the document.
package emulator
