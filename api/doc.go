// Package api is the wire: chat completions and the model catalogue of the
// Wafer Serverless API, and of every server that speaks the same
// OpenAI-compatible protocol, over HTTP and server-sent events.
//
// It is for turning values into requests and bytes into values, exactly and
// tolerantly: [New] makes a [Client] for one base URL; [Client.Stream] sends a
// [Request] and gives its answer as [Event] values; [Client.Complete] asks for
// the whole answer at once; [Client.Models] reads the catalogue. Errors are
// typed ([Error], [InterruptedError], [ConnectError]). [CleanKey] makes a
// pasted key usable.
//
// It is not for conversations, storage, prices in a ledger, or anything a
// person sees: those live in the packages above it. It imports nothing of
// waferchat's and could be lifted out.
package api
