// Package session is what a conversation is: its values, the message tree, the
// projection of its active path onto a request, and the SQLite store that
// keeps it.
//
// A session is a tree of [Message] nodes; its head names the active leaf, and
// the path from the root to the head is the conversation on screen. Siblings
// are variants. [Open] opens a store, [OpenMemory] one that touches no disk;
// [Project] makes the API messages of a path and repairs, on that outgoing
// copy only, whatever the strictest server would refuse.
//
// It does not talk to servers and draws nothing.
package session
