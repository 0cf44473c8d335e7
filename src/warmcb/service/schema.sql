-- Times are microseconds of service time (clock.py). Everything that was answered is in these tables.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE loops (
    loop TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('described', 'named')),
    actions TEXT NOT NULL,          -- JSON: the names of named actions, in the order in which they came
    encoder TEXT NOT NULL,          -- JSON: the arguments of the encoder
    sources TEXT NOT NULL,          -- JSON: who has given labels
    seed INTEGER NOT NULL,
    entries INTEGER NOT NULL,       -- the last number that was given in the journal
    epoch INTEGER NOT NULL,         -- grows when entries are taken out of the journal
    made INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every change of settings is a row: the newest is in force, all of them are the audit.
CREATE TABLE settings (
    loop TEXT NOT NULL REFERENCES loops,
    version INTEGER NOT NULL,
    settings TEXT NOT NULL,         -- JSON
    time INTEGER NOT NULL,
    who TEXT NOT NULL,
    PRIMARY KEY (loop, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
    hash BLOB PRIMARY KEY,          -- SHA-256
    role TEXT NOT NULL CHECK (role IN ('administration', 'application')),
    loop TEXT NOT NULL,             -- '': all loops
    place INTEGER NOT NULL CHECK (place IN (1, 2)),
    made INTEGER NOT NULL,
    UNIQUE (role, loop, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    loop TEXT NOT NULL REFERENCES loops,
    event TEXT NOT NULL,
    time INTEGER NOT NULL,          -- when it was decided
    due INTEGER NOT NULL,           -- when it is joined, rewarded or not
    unit TEXT,                      -- NULL: the event is its own
    arm TEXT NOT NULL,
    settings INTEGER NOT NULL,      -- the version in force
    model INTEGER NOT NULL,         -- the version that decided; 0: it had learned nothing
    round INTEGER NOT NULL,         -- how many rounds that version had learned
    request TEXT NOT NULL,          -- JSON: context and actions, in the form of dsjson's c
    names TEXT NOT NULL,            -- JSON: the ids of the actions, or their names
    slots TEXT NOT NULL,            -- JSON: the decisions (decisions.py)
    deferred INTEGER NOT NULL,      -- 1: learned only if it is activated
    eager INTEGER NOT NULL,         -- 1: its first reward is its deadline
    agrees INTEGER,                 -- where another arm chose: 1 if the model would have played the same, else 0
    joined INTEGER,                 -- the number of its entry in the journal
    UNIQUE (loop, event)
) STRICT;
CREATE INDEX events_due ON events (loop, due) WHERE joined IS NULL;
CREATE INDEX events_time ON events (loop, time);
CREATE INDEX events_unit ON events (loop, unit) WHERE unit IS NOT NULL;

-- Rewards may come before their event. The key is the delivery's: the same one counts once.
CREATE TABLE rewards (
    loop TEXT NOT NULL REFERENCES loops,
    event TEXT NOT NULL,
    slot TEXT NOT NULL,             -- '': the event has one decision
    key TEXT NOT NULL,
    value REAL NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (loop, event, slot, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE activations (
    loop TEXT NOT NULL REFERENCES loops,
    event TEXT NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (loop, event)
) STRICT, WITHOUT ROWID;

-- What changes a model and is no event, until the trainer gives it a number.
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    loop TEXT NOT NULL REFERENCES loops,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON
    time INTEGER NOT NULL
) STRICT;

-- One order of everything that changes a model. Replayed with the same code it gives the same bits.
CREATE TABLE journal (
    loop TEXT NOT NULL REFERENCES loops,
    number INTEGER NOT NULL,        -- from 1
    kind TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON
    time INTEGER NOT NULL,
    event INTEGER,                  -- the id of the event that was joined
    PRIMARY KEY (loop, number)
) STRICT, WITHOUT ROWID;

-- A model and its place in the journal, in one row.
CREATE TABLE versions (
    loop TEXT NOT NULL REFERENCES loops,
    version INTEGER NOT NULL,       -- the number of the last entry that it has learned
    model BLOB NOT NULL,            -- the bandit, compressed
    hash BLOB NOT NULL,             -- SHA-256 of that and the state
    state TEXT NOT NULL,            -- JSON: what the trainer knows beside it
    code TEXT NOT NULL,             -- the version of the code that made it
    time INTEGER NOT NULL,
    broken INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (loop, version)
) STRICT;

-- What workers decide by.
CREATE TABLE published (
    loop TEXT PRIMARY KEY REFERENCES loops,
    version INTEGER NOT NULL,
    policy BLOB NOT NULL,           -- compressed
    pinned INTEGER NOT NULL,        -- 1: it stays until it is released
    time INTEGER NOT NULL
) STRICT;

CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    fence INTEGER NOT NULL,         -- grows with every holder: whoever has an older one may write nothing
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Long work that was asked for, and what came of it. Whoever asked comes again for it.
CREATE TABLE jobs (
    loop TEXT NOT NULL REFERENCES loops,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    asked TEXT NOT NULL,            -- JSON
    status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed')),
    result TEXT NOT NULL,           -- JSON: what came of it, or why nothing did
    made INTEGER NOT NULL,
    claimed INTEGER NOT NULL,       -- so long a worker is at it
    PRIMARY KEY (loop, kind, id)
) STRICT, WITHOUT ROWID;
