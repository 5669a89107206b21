// Package emulator plays the Wafer Serverless API: the catalogue and chat
// completions, streamed and whole, with the answers of a script instead of a
// model. It is for the demo, for tests, benchmarks and screenshots.
//
// [Start] makes a server on a loopback port; [New] makes the [http.Handler]
// alone. Without a script it answers as the labelled demo: what the last
// message asks for decides the text, and every answer says that no model wrote
// it. [Server.Script] queues raw replies instead, byte by byte if need be:
//
//	s.Script(emulator.Stream(emulator.C("a"), emulator.Pause(time.Second), emulator.F("stop"), emulator.U, emulator.D))
//
// [Server.Requests] gives what arrived and [Server.Sent] what was sent.
//
// It is not for talking to real servers, and it shares no code with the client
// that it tests, so that the two cannot share one misreading of the document.
package emulator
