-- The results of every run, append-only: one transaction a row below `trial`, nothing is updated.
-- A name here is the name everywhere: in the engine's lines, in Python, in queries and on the page.

CREATE TABLE store (
    format INTEGER NOT NULL                   -- of this schema; another one is refused
);

CREATE TABLE run (
    run_id             BIGINT PRIMARY KEY,    -- 1, 2, …
    experiment         VARCHAR NOT NULL,      -- the file's name: race
    definition         VARCHAR NOT NULL,      -- the experiment file's text, as it was run
    plan               VARCHAR NOT NULL,      -- JSON: what the command line made of it, with the seed
    command            VARCHAR NOT NULL,      -- how it was called
    started_at         TIMESTAMP NOT NULL,    -- UTC
    autostrada_version VARCHAR NOT NULL,
    host               VARCHAR NOT NULL       -- JSON: facts of the machine, docs/schema.md
);

CREATE TABLE contestant_version (             -- what was measured: one row a contestant and run
    run_id     BIGINT NOT NULL REFERENCES run,
    contestant VARCHAR NOT NULL,              -- with its variant: python-websockets+threading
    library    VARCHAR NOT NULL,
    language   VARCHAR NOT NULL,
    homepage   VARCHAR NOT NULL,
    version    VARCHAR,                       -- NULL where it could not be built
    toolchain  VARCHAR,                       -- what its requirements' commands printed
    digest     VARCHAR NOT NULL,              -- of the folder and its kit
    PRIMARY KEY (run_id, contestant)
);

CREATE TABLE trial (                          -- one attempt at one cell
    trial_id         BIGINT PRIMARY KEY,
    run_id           BIGINT NOT NULL REFERENCES run,
    contestant       VARCHAR NOT NULL,
    workload         VARCHAR NOT NULL,        -- its name in the experiment
    repetition       INTEGER NOT NULL,        -- from 0; a warm-up counts on its own, from 0
    is_warm_up       BOOLEAN NOT NULL,
    started_at       TIMESTAMP NOT NULL,      -- UTC
    outcome          VARCHAR NOT NULL CHECK (outcome IN ('measurement', 'failure'))
);

CREATE TABLE measurement (                    -- of a trial that succeeded
    trial_id           BIGINT PRIMARY KEY REFERENCES trial,
    messages           BIGINT NOT NULL,
    payload_bytes      BIGINT NOT NULL,       -- of all messages together
    duration_ns        BIGINT NOT NULL,       -- the engine's clock: first byte sent to close received
    client_duration_ns BIGINT NOT NULL,       -- the client's own word: opened to last message
    server_busy_share  DOUBLE NOT NULL,       -- of one core, while duration_ns ran
    server_blocked_share DOUBLE NOT NULL,     -- of duration_ns: the socket had no room
    client_busy_share  DOUBLE NOT NULL,       -- of one core; above 1 where it has several threads
    congestion_control VARCHAR NOT NULL
);

CREATE TABLE process_sample (                 -- both processes of a measurement, over duration_ns
    trial_id            BIGINT NOT NULL REFERENCES trial,
    process             VARCHAR NOT NULL,     -- 'client' or 'server'
    cpu_ns              BIGINT NOT NULL,
    resident_bytes      BIGINT NOT NULL,
    peak_resident_bytes BIGINT NOT NULL,
    PRIMARY KEY (trial_id, process)
);

CREATE TABLE second (                         -- per-second series of a measurement
    trial_id BIGINT NOT NULL REFERENCES trial,
    process  VARCHAR NOT NULL,                -- who counted: 'client' (received) or 'server' (sent)
    second   INTEGER NOT NULL,                -- from 0; the last one is usually not a whole second
    messages BIGINT NOT NULL,
    bytes    BIGINT NOT NULL
);

CREATE TABLE failure (                        -- of a trial, or (trial_id NULL) of a contestant in a run
    run_id      BIGINT NOT NULL REFERENCES run,
    contestant  VARCHAR NOT NULL,
    trial_id    BIGINT,
    kind        VARCHAR NOT NULL,             -- docs/glossary.md lists the kinds
    message     VARCHAR NOT NULL,             -- one line, with the remedy where there is one
    stderr_tail VARCHAR NOT NULL              -- the last lines of its stderr, '' where there is none
);
