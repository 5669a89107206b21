package chat

import "testing"

func TestTransitions(t *testing.T) {
	states := []State{Connecting, Retrying, Waiting, Reasoning, Answering, Done, Failed, Cancelled, Interrupted}
	table := map[signal]map[State]State{
		sigRetry:     {Connecting: Retrying, Waiting: Retrying},
		sigAttempt:   {Retrying: Connecting},
		sigOpen:      {Connecting: Waiting, Retrying: Waiting},
		sigReasoning: {Connecting: Reasoning, Retrying: Reasoning, Waiting: Reasoning, Answering: Reasoning},
		sigOutput:    {Connecting: Answering, Retrying: Answering, Waiting: Answering, Reasoning: Answering},
	}
	for g, to := range map[signal]State{sigDone: Done, sigFail: Failed, sigCancel: Cancelled, sigCut: Interrupted} {
		table[g] = map[State]State{}
		for _, s := range states {
			if !s.Ended() {
				table[g][s] = to
			}
		}
	}
	for g, arrows := range table {
		for _, s := range states {
			want, ok := arrows[s]
			if !ok {
				want = s
			}
			if got := s.next(g); got != want {
				t.Errorf("%s after %s = %s, want %s", s, g, got, want)
			}
		}
	}
}

func TestOnlyFinalStatesHaveEnded(t *testing.T) {
	for s, want := range map[State]bool{
		Connecting: false, Retrying: false, Waiting: false, Reasoning: false, Answering: false,
		Done: true, Failed: true, Cancelled: true, Interrupted: true,
	} {
		if s.Ended() != want {
			t.Errorf("%s.Ended() = %v", s, !want)
		}
	}
}
