-- The results of every run, append-only: one transaction a trial, nothing is updated.
-- A name here is the name everywhere: in the engine's lines, in Python, in queries and on the page.
-- No keys are declared. DuckDB keeps an index for each key and reads it only when it writes: damage
-- there would show up in the middle of a run. The writer counts the ids and refuses repetitions.

CREATE TABLE store (
    format INTEGER NOT NULL                   -- of this schema; another one is refused
);

CREATE TABLE run (
    run_id             BIGINT NOT NULL,       -- 1, 2, …
    experiment         VARCHAR NOT NULL,      -- the file's name: race
    definition         VARCHAR NOT NULL,      -- the experiment file's text, as it was run
    plan               VARCHAR NOT NULL,      -- JSON: the settings it ran with, docs/schema.md
    command            VARCHAR NOT NULL,      -- how it was called
    started_at         TIMESTAMP NOT NULL,    -- UTC
    autostrada_version VARCHAR NOT NULL,      -- that ran it
    host               VARCHAR NOT NULL       -- JSON: facts of the machine, docs/schema.md
);

CREATE TABLE contestant_version (             -- what was measured: one row a contestant and run
    run_id     BIGINT NOT NULL,               -- of table run
    contestant VARCHAR NOT NULL,              -- the folder's name, and +variant where it is one
    library    VARCHAR NOT NULL,              -- as its authors write it
    language   VARCHAR NOT NULL,              -- of the program
    homepage   VARCHAR NOT NULL,              -- of the library
    version    VARCHAR,                       -- NULL where it could not be built
    toolchain  VARCHAR,                       -- what its requirements' commands printed
    digest     VARCHAR NOT NULL               -- of the folder and its kit
);

CREATE TABLE trial (                          -- one attempt at one cell
    trial_id         BIGINT NOT NULL,         -- 1, 2, … over all runs
    run_id           BIGINT NOT NULL,         -- of table run
    contestant       VARCHAR NOT NULL,        -- of table contestant_version
    workload         VARCHAR NOT NULL,        -- its name in the experiment
    repetition       INTEGER NOT NULL,        -- from 0; a warm-up counts on its own, from 0
    is_warm_up       BOOLEAN NOT NULL,
    started_at       TIMESTAMP NOT NULL,      -- UTC
    outcome          VARCHAR NOT NULL CHECK (outcome IN ('measurement', 'failure'))
);

CREATE TABLE measurement (                    -- of a trial that succeeded
    trial_id             BIGINT NOT NULL,     -- of table trial
    messages             BIGINT NOT NULL,     -- as many as were sent
    payload_bytes        BIGINT NOT NULL,     -- of all messages together
    duration_ns          BIGINT NOT NULL,     -- by the engine: first byte sent to close received
    client_duration_ns   BIGINT NOT NULL,     -- the client's own word: opened to last message
    server_busy_share    DOUBLE NOT NULL,     -- of one core, while duration_ns ran
    server_blocked_share DOUBLE NOT NULL,     -- of duration_ns: the socket had no room
    client_busy_share    DOUBLE NOT NULL,     -- of one core; above 1 where it has several threads
    congestion_control   VARCHAR NOT NULL     -- in force on the connection
);

CREATE TABLE process_sample (                 -- both processes of a measurement, over duration_ns
    trial_id            BIGINT NOT NULL,      -- of table trial
    process             VARCHAR NOT NULL,     -- 'client' or 'server'
    cpu_ns              BIGINT NOT NULL,      -- user and system
    resident_bytes      BIGINT NOT NULL,      -- at the end
    peak_resident_bytes BIGINT NOT NULL       -- the most until then
);

CREATE TABLE second (                         -- per-second series of a measurement
    trial_id BIGINT NOT NULL,                 -- of table trial
    process  VARCHAR NOT NULL,                -- who counted: 'client' (received) or 'server' (sent)
    second   INTEGER NOT NULL,                -- from 0; the last one is usually not a whole second
    messages BIGINT NOT NULL,                 -- in this second alone
    bytes    BIGINT NOT NULL                  -- of payload
);

CREATE TABLE failure (                        -- of a trial, or (trial_id NULL) of a whole contestant
    run_id      BIGINT NOT NULL,              -- of table run
    contestant  VARCHAR NOT NULL,             -- of table contestant_version
    trial_id    BIGINT,                       -- of table trial
    kind        VARCHAR NOT NULL,             -- docs/glossary.md lists the kinds
    message     VARCHAR NOT NULL,             -- one line, with the remedy where there is one
    stderr_tail VARCHAR NOT NULL              -- the last lines of its stderr, '' where there is none
);

CREATE TABLE calibration (                    -- of the instrument: how it showed known weights
    calibration_id     BIGINT NOT NULL,       -- 1, 2, …
    started_at         TIMESTAMP NOT NULL,    -- UTC
    command            VARCHAR NOT NULL,      -- how it was called
    extent             VARCHAR NOT NULL CHECK (extent IN ('full', 'quick', 'some')),
    autostrada_version VARCHAR NOT NULL,      -- that ran it
    engine_version     VARCHAR NOT NULL,      -- that was calibrated
    host               VARCHAR NOT NULL,      -- JSON: facts of the machine, docs/schema.md
    machine            VARCHAR NOT NULL,      -- JSON: what the engine's probe found it able to do
    outcome            VARCHAR NOT NULL CHECK (outcome IN ('pass', 'fail', 'disturbed'))
);

CREATE TABLE calibration_reading (            -- a figure of a weight; of a disturbed one, no figure
    calibration_id BIGINT NOT NULL,           -- of table calibration
    weight         VARCHAR NOT NULL,          -- its name: delay-20ms
    arrangement    VARCHAR NOT NULL,          -- who served or measured
    outcome        VARCHAR NOT NULL CHECK (outcome IN ('pass', 'fail', 'disturbed')),
    attempts       INTEGER NOT NULL,          -- how often it was measured
    reason         VARCHAR NOT NULL,          -- how it was disturbed, '' where it was not
    figure         VARCHAR,                   -- what was compared; its unit is in the name
    seen           DOUBLE,                    -- what was reported
    expected       DOUBLE,                    -- what had to be
    tolerance      DOUBLE                     -- by how much they may differ
);
