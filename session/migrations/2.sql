-- What a dead process may have left, to be found without a walk over the
-- session: both are empty but while something is at work.

CREATE INDEX messages_streaming ON messages(session) WHERE state = 'streaming';
CREATE INDEX parts_at_work ON parts(message)
  WHERE kind = 'tool_call' AND call_state IN ('waiting', 'running');
