-- Makes an empty schema one of format 1.

-- Who is there: one row per process that drives runs or executes tasks, renewed by its heartbeat. What is addressed to a member
-- goes with it. `process` is its number on its machine, `address` that of its connection, if it is one over a network.
CREATE TABLE members (
    id      TEXT PRIMARY KEY,
    kind    TEXT NOT NULL,
    process BIGINT NOT NULL,
    address TEXT,
    -- The graphs that a worker has, and how many tasks it executes at a time.
    graphs  TEXT[] NOT NULL,
    places  BIGINT NOT NULL,
    joined  TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    seen    TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
);

-- Tasks that are to be executed or are: `takes` counts how often a worker took it, `worker` is the last one that did.
CREATE TABLE tasks (
    id       TEXT PRIMARY KEY,
    host     TEXT NOT NULL REFERENCES members ON DELETE CASCADE,
    name     TEXT NOT NULL,
    request  BYTEA NOT NULL,
    flags    TEXT[] NOT NULL,
    -- Those with a smaller number come first.
    priority SMALLINT NOT NULL,
    -- Of a class with a limit only so many tasks are admitted at a time; the others have no job.
    class    TEXT,
    admitted BOOLEAN NOT NULL,
    queued   TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    worker   TEXT,
    takes    BIGINT NOT NULL DEFAULT 0,
    stopping BOOLEAN NOT NULL DEFAULT false
);
CREATE INDEX tasks_by_host ON tasks (host);
CREATE INDEX tasks_by_worker ON tasks (worker);
CREATE INDEX tasks_by_class ON tasks (class, admitted, priority, queued, id) WHERE class IS NOT NULL;

-- What one member says to another.
CREATE TABLE letters (
    id        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    recipient TEXT NOT NULL REFERENCES members ON DELETE CASCADE,
    body      BYTEA NOT NULL
);
CREATE INDEX letters_by_recipient ON letters (recipient, id);
