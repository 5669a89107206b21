-- What version 2 did to the store of version 1. Never edit it: it stands for the
-- stores that people have. The schema comes first, then an answer that calls a
-- tool, of a process that died while the tool was at work.
PRAGMA user_version = 2;
-- What a dead process may have left, to be found without a walk over the
-- session: both are empty but while something is at work.

CREATE INDEX messages_streaming ON messages(session) WHERE state = 'streaming';
CREATE INDEX parts_at_work ON parts(message)
  WHERE kind = 'tool_call' AND call_state IN ('waiting', 'running');

INSERT INTO messages VALUES
  (6, 'mmmmmmmmmmm6', 1, 4, 'assistant', 'done', 0, 1700000008000000000, 'model-a', 'max', '{"max_tokens":9,"seed":1}',
    '{"prompt_tokens":40,"completion_tokens":0,"raw":{"prompt_tokens":40,"completion_tokens":0,"gpu_seconds":0.5}}',
    '{"input":3000000}', 120, '{"first_token":1,"end":2}', 'tool_calls', '', 'req-2', 1);
INSERT INTO parts VALUES (7, 6, 0, 'tool_call', '{}', '', '', '', 'calc', 'call_2', 'running', 'once', 1700000008000000001, 0);
UPDATE sessions SET head = 'mmmmmmmmmmm6', updated = 1700000008000000009 WHERE seq = 1;
