// Package chat runs turns: it stores what the user sends, projects the history,
// streams the answer into the store and tells whoever listens what happened.
//
// [New] makes an [Engine]; [Engine.Start] begins a [Turn] in a goroutine of its
// own, which goes on and persists whether or not anybody watches; [Turn.Next]
// gives its events in batches, coalesced. It is used by the terminal program
// and by print mode alike. It draws nothing and knows no colours.
package chat
