-- In every table that has it, `sum` is the checksum of the row; rows of older formats have none.

-- A thread's row. `written` orders rows by their last writing. `holder` and `epoch` say who writes the thread, and have a
-- checksum of their own, for they change without the others.
CREATE TABLE threads (
    id            INTEGER PRIMARY KEY,
    thread        TEXT NOT NULL UNIQUE,
    graph         TEXT NOT NULL,
    graph_version INTEGER NOT NULL,
    status        TEXT NOT NULL,
    detail        TEXT NOT NULL,
    created       INTEGER NOT NULL,
    updated       INTEGER NOT NULL,
    epoch         INTEGER NOT NULL,
    holder        TEXT NOT NULL,
    written       INTEGER NOT NULL,
    sum           INTEGER,
    holder_sum    INTEGER
) STRICT;
CREATE INDEX threads_by_written ON threads (written);

-- One row per namespace; `number` is its head.
CREATE TABLE heads (
    id     INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL,
    ns     TEXT NOT NULL,
    number INTEGER,
    sum    INTEGER,
    UNIQUE (thread, ns)
) STRICT;

-- Names of fields. They stay when nothing has them any more, so that a number is the same name for ever.
CREATE TABLE names (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    sum  INTEGER
) STRICT;

-- `id` is a hash of 16 bytes, or the text that a layer put in its place. `fields` has for each field its name's number
-- and how many checkpoints ago it changed, in base 128.
CREATE TABLE checkpoints (
    head          INTEGER NOT NULL,
    number        INTEGER NOT NULL,
    parent        INTEGER,
    id            ANY NOT NULL,
    step          INTEGER NOT NULL,
    source        TEXT NOT NULL,
    time          INTEGER NOT NULL,
    executed      INTEGER NOT NULL,
    fields        BLOB NOT NULL,
    state_version INTEGER NOT NULL,
    sum           INTEGER,
    PRIMARY KEY (head, number)
) STRICT, WITHOUT ROWID;

-- `field` is a name's number. A record holds its bytes in `payload`, or the hash of a row of `blobs`. The table has
-- rowids: without them SQLite puts all of a row above a quarter of a page on pages of its own. Records of a checkpoint
-- are neighbours in the table and in its index, so that a commit changes few pages.
CREATE TABLE fields (
    id       INTEGER PRIMARY KEY,
    head     INTEGER NOT NULL,
    field    INTEGER NOT NULL,
    version  INTEGER NOT NULL,
    previous INTEGER,
    whole    INTEGER NOT NULL,
    payload  BLOB,
    blob     TEXT,
    sum      INTEGER,
    UNIQUE (head, version, field)
) STRICT;
CREATE INDEX fields_by_blob ON fields (blob) WHERE blob IS NOT NULL;

CREATE TABLE blobs (
    hash  TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;

CREATE TABLE task_records (
    id      INTEGER PRIMARY KEY,
    head    INTEGER NOT NULL,
    task    TEXT NOT NULL,
    kind    TEXT NOT NULL,
    key     TEXT NOT NULL,
    payload BLOB NOT NULL,
    sum     INTEGER,
    UNIQUE (head, task, kind, key)
) STRICT;
-- Results of durable steps stay; what else there is of tasks goes with them and is read as a whole.
CREATE INDEX open_records ON task_records (head) WHERE kind <> 'once';

CREATE TABLE journal (
    thread INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    event  BLOB NOT NULL,
    sum    INTEGER,
    PRIMARY KEY (thread, seq)
) STRICT, WITHOUT ROWID;

-- The long-term store. Segments of `namespace` are joined by the unit separator, which no segment contains.
CREATE TABLE items (
    namespace TEXT NOT NULL,
    key       TEXT NOT NULL,
    value     TEXT NOT NULL,
    created   INTEGER NOT NULL,
    updated   INTEGER NOT NULL,
    expires   INTEGER,
    PRIMARY KEY (namespace, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;
