package chat

// State of a turn. A turn moves only along the arrows of its transition table:
// connecting → waiting → streaming → done, failed, cancelled or interrupted.
type State string

// The states.
const (
	Connecting  State = "connecting" // request sent or being sent, no headers yet
	Retrying    State = "retrying"   // waiting to try again
	Waiting     State = "waiting"    // headers arrived, no output yet
	Reasoning   State = "reasoning"  // reasoning arrives
	Answering   State = "answering"  // text arrives
	Done        State = "done"
	Failed      State = "failed"
	Cancelled   State = "cancelled"
	Interrupted State = "interrupted"
)

// Ended tells whether s is a final state.
func (s State) Ended() bool {
	return s == Done || s == Failed || s == Cancelled || s == Interrupted
}

// signal is what moves a turn from one state to another.
type signal string

const (
	sigRetry     signal = "retry"     // an attempt failed, another follows after a wait
	sigAttempt   signal = "attempt"   // the wait is over
	sigOpen      signal = "open"      // headers arrived
	sigReasoning signal = "reasoning" // a piece of reasoning arrived
	sigOutput    signal = "output"    // a piece of text or of a call arrived
	sigDone      signal = "done"      // the answer is complete
	sigFail      signal = "fail"      // the server refused or reported an error
	sigCancel    signal = "cancel"    // the user ended it
	sigCut       signal = "cut"       // the answer ended before it was complete
)

// next is the transition function: the state that signal g leads to. A signal
// that has no arrow from s leaves it where it is; final states have none.
func (s State) next(g signal) State {
	if s.Ended() {
		return s
	}
	output := s == Reasoning || s == Answering
	switch g {
	case sigRetry:
		if !output { // what was shown is never taken back by an attempt
			return Retrying
		}
	case sigAttempt:
		if s == Retrying {
			return Connecting
		}
	case sigOpen:
		if !output {
			return Waiting
		}
	case sigReasoning:
		return Reasoning
	case sigOutput:
		return Answering
	case sigDone:
		return Done
	case sigFail:
		return Failed
	case sigCancel:
		return Cancelled
	case sigCut:
		return Interrupted
	}
	return s
}
