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
    split INTEGER NOT NULL,         -- the first version of those in a row that split events among the arms like this one
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
CREATE INDEX events_due ON events (loop, due, time, arm, joined) WHERE joined IS NULL;
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

-- Figures. The trainer adds to them when it joins events, in the same transaction. They hold sums, and outlive events.

CREATE TABLE minutes (
    loop TEXT NOT NULL REFERENCES loops,
    minute INTEGER NOT NULL,        -- in which events were decided: a time
    arm TEXT NOT NULL,
    decisions INTEGER NOT NULL,     -- events whose deadline is over
    joined INTEGER NOT NULL,        -- those of them that took place: all but deferred ones that nobody activated
    rewarded INTEGER NOT NULL,      -- those of these that got a reward in time
    reward_sum REAL NOT NULL,       -- of those that took place
    reward_squares REAL NOT NULL,
    delay_sum INTEGER NOT NULL,     -- from the decision to the first reward, of those that were rewarded
    compared INTEGER NOT NULL,      -- where another arm chose and the model knew something
    agreed INTEGER NOT NULL,        -- and would have played the same
    PRIMARY KEY (loop, minute, arm)
) STRICT, WITHOUT ROWID;

-- The model against the baseline, since the last change of the settings that split events among the arms.
CREATE TABLE sides (
    loop TEXT NOT NULL REFERENCES loops,
    split INTEGER NOT NULL,         -- as in settings
    side TEXT NOT NULL,             -- 'model', 'baseline' or 'control'
    units INTEGER NOT NULL,
    events INTEGER NOT NULL,
    reward_sum REAL NOT NULL,
    reward_squares REAL NOT NULL,
    unit_squares REAL NOT NULL,     -- of each unit's sum of rewards
    unit_products REAL NOT NULL,    -- of that and its number of events
    unit_sizes REAL NOT NULL,       -- squares of that number
    mean_sum REAL NOT NULL,         -- of each unit's mean reward
    mean_squares REAL NOT NULL,
    first_sum REAL NOT NULL,        -- of each unit's first reward
    first_spread REAL NOT NULL,     -- squares of how far that was from what the units before it let expect
    lowest REAL NOT NULL,           -- reward
    highest REAL NOT NULL,
    PRIMARY KEY (loop, split, side)
) STRICT, WITHOUT ROWID;

-- What each unit adds to these. An event without a unit comes once, and needs no row.
CREATE TABLE units (
    loop TEXT NOT NULL REFERENCES loops,
    unit TEXT NOT NULL,
    split INTEGER NOT NULL,
    side TEXT NOT NULL,
    events INTEGER NOT NULL,
    reward_sum REAL NOT NULL,
    PRIMARY KEY (loop, unit, split, side)
) STRICT, WITHOUT ROWID;

-- What the model was like when it was published: one row for each minute.
CREATE TABLE progress (
    loop TEXT NOT NULL REFERENCES loops,
    minute INTEGER NOT NULL,
    time INTEGER NOT NULL,
    version INTEGER NOT NULL,
    lambda REAL NOT NULL,
    scores TEXT NOT NULL,           -- JSON: of each lane
    learned INTEGER NOT NULL,
    memory REAL NOT NULL,
    source TEXT,
    PRIMARY KEY (loop, minute)
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
