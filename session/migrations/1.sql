-- The first schema. Never edit it: add the next number beside it.
-- Times are nanoseconds since 1970 (0: none), flags 0 or 1, '' is "not set".

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
