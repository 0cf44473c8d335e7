-- Times are microseconds of service time (clock.py). Everything that was answered is in these tables.

CREATE TABLE IF NOT EXISTS meta (
    name TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS loops (
    loop TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('described', 'named')),
    actions TEXT,                   -- JSON: the names that named actions had in the beginning
    seed INTEGER NOT NULL,
    made INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every change of settings is a row: the newest is in force, all of them are the audit.
CREATE TABLE IF NOT EXISTS settings (
    loop TEXT NOT NULL REFERENCES loops,
    version INTEGER NOT NULL,
    settings TEXT NOT NULL,         -- JSON
    time INTEGER NOT NULL,
    who TEXT NOT NULL,
    PRIMARY KEY (loop, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS keys (
    hash BLOB PRIMARY KEY,          -- SHA-256
    role TEXT NOT NULL CHECK (role IN ('administration', 'application')),
    loop TEXT NOT NULL,             -- '': all loops
    place INTEGER NOT NULL CHECK (place IN (1, 2)),
    made INTEGER NOT NULL,
    UNIQUE (role, loop, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    loop TEXT NOT NULL REFERENCES loops,
    event TEXT NOT NULL,
    time INTEGER NOT NULL,          -- when it was decided
    due INTEGER NOT NULL,           -- when it is joined, rewarded or not
    unit TEXT NOT NULL,
    arm TEXT NOT NULL,
    settings INTEGER NOT NULL,      -- the version in force
    model INTEGER NOT NULL,         -- the version that decided; 0: none
    request TEXT NOT NULL,          -- JSON: context and actions, in the form of dsjson's c
    names TEXT,                     -- JSON: the ids of the actions, or their names
    slots TEXT NOT NULL,            -- JSON: of each decision its id, action, probabilities, allowed
    answer TEXT NOT NULL,           -- JSON: what the caller was told; a repeated request gets the same
    deferred INTEGER NOT NULL,      -- 1: learned only if it is activated
    joined INTEGER,                 -- the number of its entry in the journal
    UNIQUE (loop, event)
) STRICT;
CREATE INDEX IF NOT EXISTS events_due ON events (loop, due) WHERE joined IS NULL;
CREATE INDEX IF NOT EXISTS events_time ON events (loop, time);
CREATE INDEX IF NOT EXISTS events_unit ON events (loop, unit);

-- Rewards may come before their event. The key is the delivery's: the same one counts once.
CREATE TABLE IF NOT EXISTS rewards (
    loop TEXT NOT NULL REFERENCES loops,
    event TEXT NOT NULL,
    slot TEXT NOT NULL,             -- '': the event has one decision
    key TEXT NOT NULL,
    value REAL NOT NULL,
    time INTEGER NOT NULL,
    late INTEGER NOT NULL DEFAULT 0, -- 1: it came after its event was joined
    PRIMARY KEY (loop, event, slot, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS activations (
    loop TEXT NOT NULL REFERENCES loops,
    event TEXT NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (loop, event)
) STRICT, WITHOUT ROWID;

-- What changes a model and is no event, until the trainer gives it a number.
CREATE TABLE IF NOT EXISTS inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    loop TEXT NOT NULL REFERENCES loops,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON
    time INTEGER NOT NULL,
    number INTEGER                  -- of its entry in the journal
) STRICT;

-- One order of everything that changes a model. Replayed with the same code it gives the same bits.
CREATE TABLE IF NOT EXISTS journal (
    loop TEXT NOT NULL REFERENCES loops,
    number INTEGER NOT NULL,        -- from 1
    kind TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON
    time INTEGER NOT NULL,
    PRIMARY KEY (loop, number)
) STRICT, WITHOUT ROWID;

-- A model and its place in the journal, in one row.
CREATE TABLE IF NOT EXISTS versions (
    loop TEXT NOT NULL REFERENCES loops,
    version INTEGER NOT NULL,       -- the number of the last entry that it has learned
    model BLOB NOT NULL,
    hash BLOB NOT NULL,             -- SHA-256 of the model
    code TEXT NOT NULL,             -- the version of the code that made it
    time INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    broken INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (loop, version)
) STRICT, WITHOUT ROWID;

-- What workers decide by.
CREATE TABLE IF NOT EXISTS published (
    loop TEXT PRIMARY KEY REFERENCES loops,
    version INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0, -- 1: it stays until it is released
    time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    fence INTEGER NOT NULL,         -- grows with every holder: whoever has an older one may write nothing
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
