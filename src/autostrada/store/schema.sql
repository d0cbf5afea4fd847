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
    published          VARCHAR NOT NULL,      -- the text of what was published of it; '' for nothing
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
    contestant       VARCHAR NOT NULL,        -- who is measured: server × client, without the engine
    server           VARCHAR NOT NULL,        -- of table contestant_version; 'reference': the engine
    client           VARCHAR NOT NULL,        -- the same
    workload         VARCHAR NOT NULL,        -- the name of its point: 'push', 'json processes=2'
    repetition       INTEGER NOT NULL,        -- from 0; a warm-up counts on its own, from 0
    is_warm_up       BOOLEAN NOT NULL,
    retry            INTEGER NOT NULL,        -- from 0; a trial that the machine disturbs is repeated
    started_at       TIMESTAMP NOT NULL,      -- UTC
    settled_ns       BIGINT NOT NULL,         -- how long it was waited for a quiet machine
    load_before      DOUBLE NOT NULL,         -- cores at work for others just before it began
    disturbance      VARCHAR NOT NULL,        -- what disturbed it, in words; '' where nothing did
    outcome          VARCHAR NOT NULL CHECK (outcome IN ('measurement', 'failure'))
);

CREATE VIEW counted_trial AS                  -- of each repetition the one that the figures are of
SELECT * EXCLUDE latest FROM (
    SELECT *, row_number() OVER (
        PARTITION BY run_id, server, client, workload, repetition ORDER BY disturbance <> '', retry DESC
    ) AS latest
    FROM trial
    WHERE NOT is_warm_up
)
WHERE latest = 1;

CREATE TABLE measurement (                    -- of a trial that succeeded
    trial_id             BIGINT NOT NULL,     -- of table trial
    messages             BIGINT NOT NULL,     -- that arrived as they should, by all clients
    payload_bytes        BIGINT NOT NULL,     -- of all messages together
    duration_ns          BIGINT NOT NULL,     -- push: by the engine, first byte sent to close received
    client_duration_ns   BIGINT,              -- push: the client's own word, opened to last message
    server_busy_share    DOUBLE,              -- of one core, while duration_ns ran; NULL: missing_figure
    server_blocked_share DOUBLE,              -- push: of duration_ns, the socket had no room
    client_busy_share    DOUBLE,              -- of one core; above 1 where it has several threads
    congestion_control   VARCHAR,             -- push: in force on the connection
    sender               VARCHAR NOT NULL,    -- 'client' or 'server': whose messages are counted
    pacing               VARCHAR NOT NULL,    -- what sets the pace: docs/glossary.md, pacing
    achieved_share       DOUBLE,              -- of what was due; NULL where nothing was due
    engine_limit         VARCHAR NOT NULL,    -- how the load generator was the bottleneck, as text; '' where it did not
    faults               VARCHAR NOT NULL,    -- what broke, in words; '' where nothing did
    violation            VARCHAR NOT NULL     -- why is_steady or meets_objective is 0, in words; '' where neither is
);

CREATE TABLE figure (                         -- what else is known of a measurement
    trial_id BIGINT NOT NULL,                 -- of table trial
    process  VARCHAR NOT NULL,                -- who says so: 'client', 'client 2', 'server'
    figure   VARCHAR NOT NULL,                -- docs/experiments.md; its unit is last in its name
    value    DOUBLE NOT NULL
);

CREATE TABLE bucket (                         -- durations of a measurement; they merge by adding counts
    trial_id BIGINT NOT NULL,                 -- of table trial
    process  VARCHAR NOT NULL,                -- as in figure
    figure   VARCHAR NOT NULL,                -- 'latency_ns', 'response_time_ns'
    value_ns BIGINT NOT NULL,                 -- rounded: docs/contract.md 7.5, or a bucket's middle
    count    BIGINT NOT NULL
);

CREATE TABLE process_total (                  -- the processes of a measurement, over duration_ns
    trial_id            BIGINT NOT NULL,      -- of table trial
    process             VARCHAR NOT NULL,     -- 'server', 'client', which is all clients, 'client 2'
    cpu_ns              BIGINT NOT NULL,      -- user and system
    resident_bytes      BIGINT NOT NULL,      -- at the end
    peak_resident_bytes BIGINT NOT NULL       -- the most until then
);

CREATE TABLE end_evidence (                   -- both ends of a measurement, over duration_ns: the verdict's
    trial_id                      BIGINT NOT NULL, -- of table trial
    process                       VARCHAR NOT NULL, -- 'client' or 'server'
    is_engine                     BOOLEAN NOT NULL,
    cpu_cores                     DOUBLE,     -- CPU time by time; NULL where nobody looked twice
    busy_share                    DOUBLE,     -- engine: of the time; else of its cores
    receive_queue_filled_share    DOUBLE,     -- of sockets and looks; NULL where nobody looked
    send_queue_filled_share       DOUBLE,     -- of sockets and looks
    unsent_share                  DOUBLE,     -- of the looks: something was not even sent once
    receive_window_limited_share  DOUBLE,     -- of the time, as a sender
    send_buffer_limited_share     DOUBLE,     -- of the time, as a sender
    retransmitted_share           DOUBLE      -- of the segments that it sent
);

CREATE TABLE process_sample (                 -- one look at a process tree; counters since its start
    trial_id            BIGINT NOT NULL,      -- of table trial
    process             VARCHAR NOT NULL,     -- as in process_total
    since_start_ns      BIGINT NOT NULL,      -- from the first byte sent; below 0: before it
    cpu_ns              BIGINT NOT NULL,      -- user and system
    user_ns             BIGINT,               -- NULL, here and below: table missing_figure
    system_ns           BIGINT,
    resident_bytes      BIGINT NOT NULL,
    proportional_bytes  BIGINT,               -- what is shared with others is divided among them
    peak_resident_bytes BIGINT NOT NULL,
    threads             BIGINT,
    switches_voluntary  BIGINT,               -- it waited
    switches_forced     BIGINT,               -- another was to run
    faults_minor        BIGINT,               -- pages, without the disk
    faults_major        BIGINT,               -- pages from the disk
    files               BIGINT                -- open descriptors
);

CREATE TABLE socket_sample (                  -- one look at a process's TCP sockets
    trial_id                   BIGINT NOT NULL, -- of table trial
    process                    VARCHAR NOT NULL, -- as in process_total
    since_start_ns             BIGINT NOT NULL, -- as in process_sample
    connections                BIGINT NOT NULL,
    sampled                    BIGINT NOT NULL, -- of them; what follows is of these
    send_queue_bytes           BIGINT NOT NULL, -- sum; not yet acknowledged
    send_queue_bytes_max       BIGINT NOT NULL, -- of one socket
    send_queues_filled         BIGINT NOT NULL, -- sockets whose queue is not empty
    receive_queue_bytes        BIGINT NOT NULL, -- sum; not yet read
    receive_queue_bytes_max    BIGINT NOT NULL, -- of one socket
    receive_queues_filled      BIGINT NOT NULL, -- sockets whose queue is not empty
    unsent_bytes               BIGINT NOT NULL, -- sum; of the send queues, not even sent
    sent_bytes                 BIGINT NOT NULL, -- counters from here on; acknowledged
    received_bytes             BIGINT NOT NULL,
    segments_out               BIGINT NOT NULL,
    segments_in                BIGINT NOT NULL,
    retransmits                BIGINT NOT NULL,
    rtt_ns_median              BIGINT NOT NULL, -- no counter: over the sampled, smoothed
    busy_ns                    BIGINT NOT NULL, -- something was unacknowledged
    receive_window_limited_ns  BIGINT NOT NULL, -- of them, waiting for the reader's window
    send_buffer_limited_ns     BIGINT NOT NULL -- of them, waiting for room to send
);

CREATE TABLE host_sample (                    -- one look at the machine; counters since its start
    trial_id               BIGINT NOT NULL,   -- of table trial
    since_start_ns         BIGINT NOT NULL,   -- as in process_sample
    zero_windows_sent      BIGINT,            -- a reader closed its window
    zero_windows_wanted    BIGINT,            -- it wanted to, and could not shrink it
    pruned                 BIGINT,            -- receive queues that were over their limit
    receive_drops          BIGINT,            -- segments that had no room
    listen_overflows       BIGINT,            -- connections that nobody accepted in time
    listen_drops           BIGINT,
    retransmits            BIGINT,            -- of all TCP
    loopback_bytes         BIGINT,            -- through the loopback device
    memory_available_bytes BIGINT,            -- no counter
    pressure_cpu_some_ns   BIGINT             -- somebody was ready to run and had to wait
);

CREATE TABLE core_sample (                    -- one look at a core of the machine; counters
    trial_id       BIGINT NOT NULL,           -- of table trial
    since_start_ns BIGINT NOT NULL,           -- as in process_sample
    core           INTEGER NOT NULL,          -- its number
    busy_ns        BIGINT NOT NULL,           -- for anybody, softirq_ns with it
    idle_ns        BIGINT NOT NULL,
    steal_ns       BIGINT,                    -- the hypervisor gave it to others
    softirq_ns     BIGINT NOT NULL            -- the network's part of the kernel, mostly
);

CREATE TABLE missing_figure (                 -- what could not be observed in a trial
    trial_id BIGINT NOT NULL,                 -- of table trial
    figure   VARCHAR NOT NULL,                -- sockets, processes.client.proportional_bytes, …
    reason   VARCHAR NOT NULL                 -- one sentence
);

CREATE TABLE second (                         -- per-second series of a measurement
    trial_id BIGINT NOT NULL,                 -- of table trial
    process  VARCHAR NOT NULL,                -- who counted: a client (received) or 'server' (sent)
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

CREATE TABLE calibration (                    -- what the engine reported of injected faults
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

CREATE TABLE calibration_reading (            -- a figure of a fault case; of a disturbed one, no figure
    calibration_id BIGINT NOT NULL,           -- of table calibration
    fault_case     VARCHAR NOT NULL,          -- its name: delay-20ms
    topology       VARCHAR NOT NULL,          -- which end injects the fault and which one measures
    outcome        VARCHAR NOT NULL CHECK (outcome IN ('pass', 'fail', 'disturbed')),
    attempts       INTEGER NOT NULL,          -- how often it was measured
    reason         VARCHAR NOT NULL,          -- how it was disturbed, '' where it was not
    figure         VARCHAR,                   -- what was compared; its unit is in the name
    seen           DOUBLE,                    -- what was reported
    expected       DOUBLE,                    -- what had to be
    tolerance      DOUBLE                     -- by how much they may differ
);
