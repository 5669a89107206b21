-- What a request was expected to be, to be held against what the server counted,
-- and what an answer had besides.

ALTER TABLE messages ADD COLUMN estimate INTEGER NOT NULL DEFAULT 0;     -- of the prompt's tokens, uncalibrated; 0: none
ALTER TABLE messages ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;      -- prompt tokens of usage beside an estimate; else 0
ALTER TABLE messages ADD COLUMN output_limit INTEGER NOT NULL DEFAULT 0; -- max_tokens in effect; 0: unknown
ALTER TABLE messages ADD COLUMN extra TEXT NOT NULL DEFAULT '';          -- JSON, fields of the answer without a name here

-- The last answers of a model that its estimates can be calibrated with.
CREATE INDEX messages_calibrating ON messages(model COLLATE NOCASE, created DESC, estimate, counted)
  WHERE estimate > 0 AND counted > 0 AND state = 'done';
