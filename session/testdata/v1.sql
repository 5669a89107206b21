-- A store as version 1 made it. Never edit it: it stands for the stores that
-- people have. The schema comes first, then a session with two branches, one
-- answer that was being streamed when its process died, and a draft.
PRAGMA application_id = 2003198824;
PRAGMA user_version = 1;
CREATE TABLE sessions (
  seq            INTEGER PRIMARY KEY,
  id             TEXT NOT NULL UNIQUE,
  title          TEXT NOT NULL,
  title_source   TEXT NOT NULL,
  profile        TEXT NOT NULL,
  base_url       TEXT NOT NULL,
  model          TEXT NOT NULL,
  effort         TEXT NOT NULL,
  params         TEXT NOT NULL,    -- JSON, names of the wire
  system         TEXT NOT NULL,
  zdr            INTEGER NOT NULL,
  tools          TEXT NOT NULL,    -- JSON array of names
  head           TEXT NOT NULL,    -- id of the active leaf
  view           TEXT NOT NULL,    -- JSON: scroll anchor, how reasoning is shown
  pinned         INTEGER NOT NULL,
  archived       INTEGER NOT NULL,
  parent         TEXT NOT NULL,    -- of a fork: session and message it began at
  parent_message TEXT NOT NULL,
  created        INTEGER NOT NULL,
  updated        INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_use ON sessions(updated);

CREATE TABLE tags (
  session INTEGER NOT NULL REFERENCES sessions(seq) ON DELETE CASCADE,
  tag     TEXT NOT NULL,
  UNIQUE (session, tag)
) STRICT;

-- A node of a session's tree. A parent is older than its children: parent < seq.
CREATE TABLE messages (
  seq        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  session    INTEGER NOT NULL REFERENCES sessions(seq) ON DELETE CASCADE,
  parent     INTEGER REFERENCES messages(seq),
  role       TEXT NOT NULL,
  state      TEXT NOT NULL,
  deleted    INTEGER NOT NULL,
  created    INTEGER NOT NULL,
  model      TEXT NOT NULL,
  effort     TEXT NOT NULL,
  params     TEXT NOT NULL,        -- JSON, as in sessions
  usage      TEXT NOT NULL,        -- JSON; '' is unknown
  prices     TEXT NOT NULL,        -- JSON, those in force then; '' is unknown
  cost       INTEGER,              -- micro-cents by usage and prices; NULL is unknown
  timing     TEXT NOT NULL,        -- JSON, nanoseconds since the request was sent
  finish     TEXT NOT NULL,
  failure    TEXT NOT NULL,        -- JSON
  request_id TEXT NOT NULL,
  attempts   INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_parent ON messages(parent);
CREATE INDEX messages_by_session ON messages(session, role, deleted, state, cost);
CREATE INDEX messages_sent ON messages(created) WHERE role = 'user';

-- The parts of a message in order of arrival. A tool call keeps its raw
-- arguments in text; its result is the tool_result part with its call_id.
CREATE TABLE parts (
  id         INTEGER PRIMARY KEY,
  message    INTEGER NOT NULL REFERENCES messages(seq) ON DELETE CASCADE,
  ordinal    INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  text       TEXT NOT NULL,
  field      TEXT NOT NULL,        -- wire name of reasoning
  extra      TEXT NOT NULL,        -- raw JSON to send back
  blob       TEXT NOT NULL,        -- blobs.sha256
  name       TEXT NOT NULL,
  call_id    TEXT NOT NULL,
  call_state TEXT NOT NULL,
  approval   TEXT NOT NULL,
  started    INTEGER NOT NULL,
  ended      INTEGER NOT NULL,
  UNIQUE (message, ordinal)
) STRICT;

-- What streams, one row per flush and part, until the message is finished: then
-- it moves into parts.text. n tells a process which rows are its own.
CREATE TABLE chunks (
  id      INTEGER PRIMARY KEY,
  message INTEGER NOT NULL REFERENCES messages(seq) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  text    TEXT NOT NULL
) STRICT;
CREATE INDEX chunks_by_message ON chunks(message);

CREATE TABLE blobs (
  sha256  TEXT PRIMARY KEY,
  data    BLOB NOT NULL,
  created INTEGER NOT NULL
) STRICT;

-- No reference to sessions: '' is the new chat, and a chat may have a draft
-- before it has a message.
CREATE TABLE drafts (
  session     TEXT PRIMARY KEY,
  text        TEXT NOT NULL,
  attachments TEXT NOT NULL,
  updated     INTEGER NOT NULL
) STRICT;

-- Both indexes hold folded text (case, accents) of finished messages under
-- rowid parts.id, and titles under -sessions.seq. Trigrams find substrings of
-- three characters and more; short_words has words of one and two characters,
-- and every character and pair of scripts that write without spaces.
CREATE VIRTUAL TABLE trigrams USING fts5(
  text, content='', contentless_delete=1, tokenize='trigram');
CREATE VIRTUAL TABLE short_words USING fts5(
  text, content='', contentless_delete=1, detail=none, tokenize='ascii');

INSERT INTO sessions VALUES (1, 'aaaaaaaaaaaa', 'Old chat', 'user', 'work', 'http://127.0.0.1:1/v1', 'model-a', 'high',
  '{"max_tokens":5}', 'be brief', 1, '["calc"]', 'mmmmmmmmmmm4', '{"message":"mmmmmmmmmmm1","offset":2,"reasoning":"full"}',
  1, 0, 'zzzzzzzzzzzz', 'yyyyyyyyyyyy', 1700000000000000001, 1700000009000000009);
INSERT INTO tags VALUES (1, 'old'), (1, 'a tag');
INSERT INTO messages VALUES
  (1, 'mmmmmmmmmmm1', 1, NULL, 'user', 'done', 0, 1700000001000000000, '', '', '', '', '', NULL, '', '', '', '', 0),
  (2, 'mmmmmmmmmmm2', 1, 1, 'assistant', 'failed', 1, 1700000002000000000, 'model-a', 'low', '{"temperature":0.5}', '', '',
    NULL, '', '', '{"title":"Cut off","code":"eof"}', '', 1),
  (3, 'mmmmmmmmmmm3', 1, 1, 'assistant', 'done', 0, 1700000003000000000, 'model-a', 'high', '',
    '{"prompt_tokens":1000,"completion_tokens":500,"cached_tokens":200}', '{"input":3000000,"output":15000000,"cache_read":300000}',
    9960, '{"first_token":1000000,"reasoning":2000000,"end":3000000}', 'tool_calls', '', 'req-1', 2),
  (4, 'mmmmmmmmmmm4', 1, 3, 'tool', 'done', 0, 1700000004000000000, '', '', '', '', '', NULL, '', '', '', '', 0),
  (5, 'mmmmmmmmmmm5', 1, 4, 'assistant', 'streaming', 0, 1700000005000000000, 'model-a', '', '', '', '', NULL, '', '', '', '', 1);
INSERT INTO parts VALUES
  (1, 1, 0, 'text', 'What is 秃发?', '', '', '', '', '', '', '', 0, 0),
  (2, 1, 1, 'image', 'data:image/png;base64,AA==', '', '', 'f00d', '', '', '', '', 0, 0),
  (3, 3, 0, 'reasoning', 'I look it up.', 'reasoning_content', '[{"type":"x"}]', '', '', '', '', '', 0, 0),
  (4, 3, 1, 'tool_call', '{"q": 1', '', '', '', 'calc', 'call_1', 'denied', 'asked', 1700000003000000001, 1700000003000000002),
  (5, 4, 0, 'tool_result', 'denied', '', '', '', '', 'call_1', '', '', 0, 0),
  (6, 5, 0, 'text', '', '', '', '', '', '', '', '', 0, 0);
INSERT INTO chunks VALUES (1, 5, 0, 77, 'half an '), (2, 5, 0, 78, 'answer');
INSERT INTO blobs VALUES ('f00d', x'00ff', 1700000001000000000);
INSERT INTO drafts VALUES ('', 'a new chat', '', 1700000006000000000), ('aaaaaaaaaaaa', 'unsent', '[{"file":"x"}]', 1700000007000000000);
INSERT INTO trigrams (rowid, text) VALUES (-1, 'old chat'), (1, 'what is 秃发?'), (3, 'i look it up.'), (5, 'denied');
INSERT INTO short_words (rowid, text) VALUES (1, 'is 发 秃 秃发'), (3, 'i it up');
