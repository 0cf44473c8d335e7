-- Times are microseconds of service time (clock.py). Whatever a request was answered is in these tables.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE loops (
    loop TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('described', 'named')),
    actions TEXT NOT NULL,          -- JSON: the names of named actions, in the order in which they were added
    encoder TEXT NOT NULL,          -- JSON: the arguments of the encoder
    sources TEXT NOT NULL,          -- JSON: the sources of labels
    seed INTEGER NOT NULL,
    entries INTEGER NOT NULL,       -- the last number in the journal
    epoch INTEGER NOT NULL,         -- grows when entries are deleted from the journal
    made INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Every change of settings is a row. The newest one is current, and all of them are the history.
CREATE TABLE settings (
    loop TEXT NOT NULL REFERENCES loops,
    version INTEGER NOT NULL,
    settings TEXT NOT NULL,         -- JSON
    split INTEGER NOT NULL,         -- the first version since which events have been split among the arms like this
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
    due INTEGER NOT NULL,           -- its deadline: then it is joined, rewarded or not
    unit TEXT,                      -- NULL: the event is a unit of its own
    arm TEXT NOT NULL,
    settings INTEGER NOT NULL,      -- the version of the settings
    model INTEGER NOT NULL,         -- the version of the model; 0: it had learned nothing
    round INTEGER NOT NULL,         -- how many rounds the model had learned
    request TEXT NOT NULL,          -- JSON: context and actions, in the form of dsjson's c
    names TEXT NOT NULL,            -- JSON: the ids or names of the actions
    slots TEXT NOT NULL,            -- JSON: the decisions (Choice in kinds.py)
    deferred INTEGER NOT NULL,      -- 1: learned only once it is activated
    eager INTEGER NOT NULL,         -- 1: its first reward is its deadline
    agrees INTEGER,                 -- if the baseline chose: 1 if the model would have chosen the same, else 0
    joined INTEGER,                 -- the number of its entry in the journal; NULL: it waits
    UNIQUE (loop, event)
) STRICT;
CREATE INDEX events_due ON events (loop, due, time, arm, joined) WHERE joined IS NULL;
CREATE INDEX events_time ON events (loop, time);
CREATE INDEX events_unit ON events (loop, unit) WHERE unit IS NOT NULL;

-- Rewards may come before their event. The key identifies a delivery, and the same one counts once.
CREATE TABLE rewards (
    loop TEXT NOT NULL REFERENCES loops,
    event TEXT NOT NULL,
    slot TEXT NOT NULL,             -- '': the event has no slots
    key TEXT NOT NULL,
    value REAL NOT NULL,
    time INTEGER NOT NULL,
    late INTEGER NOT NULL DEFAULT 0,    -- 1: it came after its event's deadline
    PRIMARY KEY (loop, event, slot, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX rewards_late ON rewards (loop) WHERE late = 1;

CREATE TABLE activations (
    loop TEXT NOT NULL REFERENCES loops,
    event TEXT NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (loop, event)
) STRICT, WITHOUT ROWID;

-- Entries that are no events, such as labels. They wait here until the trainer numbers them.
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    loop TEXT NOT NULL REFERENCES loops,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON
    time INTEGER NOT NULL
) STRICT;

-- One order of everything that changes a model. A replay with the same code gives the same bits.
CREATE TABLE journal (
    loop TEXT NOT NULL REFERENCES loops,
    number INTEGER NOT NULL,        -- from 1
    kind TEXT NOT NULL,
    body TEXT NOT NULL,             -- JSON
    time INTEGER NOT NULL,
    event INTEGER,                  -- the id of the joined event
    PRIMARY KEY (loop, number)
) STRICT, WITHOUT ROWID;

-- A model and its place in the journal, in one row.
CREATE TABLE versions (
    loop TEXT NOT NULL REFERENCES loops,
    version INTEGER NOT NULL,       -- the number of the last entry that it has learned
    model BLOB NOT NULL,            -- the bandit, compressed
    hash BLOB NOT NULL,             -- SHA-256 of that and the state
    state TEXT NOT NULL,            -- JSON: what the trainer needs besides the model
    code TEXT NOT NULL,             -- the version of the code that made it
    time INTEGER NOT NULL,
    broken INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (loop, version)
) STRICT;

-- The policy by which workers decide.
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
    fence INTEGER NOT NULL,         -- grows with every holder; those with an older one may not write
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sums, which outlive events. The trainer adds to them in the transaction that joins events.

CREATE TABLE minutes (
    loop TEXT NOT NULL REFERENCES loops,
    minute INTEGER NOT NULL,        -- the minute of the decisions: a time
    arm TEXT NOT NULL,
    decisions INTEGER NOT NULL,     -- events whose deadline is over
    joined INTEGER NOT NULL,        -- those that took place: all but deferred ones that were not activated
    rewarded INTEGER NOT NULL,      -- joined events that got a reward in time
    reward_sum REAL NOT NULL,       -- of joined events
    reward_squares REAL NOT NULL,
    delay_sum INTEGER NOT NULL,     -- from the decision to the first reward, of rewarded events
    compared INTEGER NOT NULL,      -- events in which the baseline chose and the model had learned something
    agreed INTEGER NOT NULL,        -- those in which the model would have chosen the same
    PRIMARY KEY (loop, minute, arm)
) STRICT, WITHOUT ROWID;

-- The comparison of model and baseline, since the last change of the settings that split events among the arms.
CREATE TABLE sides (
    loop TEXT NOT NULL REFERENCES loops,
    split INTEGER NOT NULL,         -- as in settings
    side TEXT NOT NULL,             -- 'model', 'baseline' or 'control'
    units INTEGER NOT NULL,
    events INTEGER NOT NULL,
    reward_sum REAL NOT NULL,
    reward_squares REAL NOT NULL,
    unit_squares REAL NOT NULL,     -- the sum of squares of each unit's total reward
    unit_products REAL NOT NULL,    -- the sum of products of that total and the unit's number of events
    unit_sizes REAL NOT NULL,       -- the sum of squares of that number
    mean_sum REAL NOT NULL,         -- the sum of each unit's mean reward
    mean_squares REAL NOT NULL,
    first_sum REAL NOT NULL,        -- the sum of each unit's first reward
    first_spread REAL NOT NULL,     -- the sum of squares of its difference to what earlier units predicted
    lowest REAL NOT NULL,           -- the lowest and the highest reward
    highest REAL NOT NULL,
    PRIMARY KEY (loop, split, side)
) STRICT, WITHOUT ROWID;

-- What each unit adds to a side. An event without a unit comes once and needs no row.
CREATE TABLE units (
    loop TEXT NOT NULL REFERENCES loops,
    unit TEXT NOT NULL,
    split INTEGER NOT NULL,
    side TEXT NOT NULL,
    events INTEGER NOT NULL,
    reward_sum REAL NOT NULL,
    PRIMARY KEY (loop, unit, split, side)
) STRICT, WITHOUT ROWID;

-- The state of the model at its last publication in each minute.
CREATE TABLE progress (
    loop TEXT NOT NULL REFERENCES loops,
    minute INTEGER NOT NULL,
    time INTEGER NOT NULL,
    version INTEGER NOT NULL,
    lambda REAL NOT NULL,
    scores TEXT NOT NULL,           -- JSON: the score of each lane
    learned INTEGER NOT NULL,
    memory REAL NOT NULL,
    source TEXT,
    PRIMARY KEY (loop, minute)
) STRICT, WITHOUT ROWID;

-- Long work that callers ask for, and its result, which they fetch later.
CREATE TABLE jobs (
    loop TEXT NOT NULL REFERENCES loops,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    asked TEXT NOT NULL,            -- JSON
    status TEXT NOT NULL CHECK (status IN ('pending', 'completed', 'failed')),
    result TEXT NOT NULL,           -- JSON: the result, or why there is none
    made INTEGER NOT NULL,
    claimed INTEGER NOT NULL,       -- until this time a worker is busy with it
    PRIMARY KEY (loop, kind, id)
) STRICT, WITHOUT ROWID;
