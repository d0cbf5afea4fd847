-- The results of all runs. The store is append-only: each trial is one transaction, and no row is updated.
-- Names are the same everywhere: in the engine's output, in Python, in queries and on pages.
-- No keys are declared. DuckDB keeps an index for each key and reads it only for writing, so damage to an
-- index would only be detected during a run. The writer assigns the ids and rejects duplicates.

CREATE TABLE store (
    format INTEGER NOT NULL                   -- version of this schema; stores with another one are rejected
);

CREATE TABLE run (
    run_id             BIGINT NOT NULL,       -- 1, 2, …
    experiment         VARCHAR NOT NULL,      -- name of the experiment, without .toml
    definition         VARCHAR NOT NULL,      -- text of the experiment file that was run
    published          VARCHAR NOT NULL,      -- text of the experiment's publication file; '' if there is none
    plan               VARCHAR NOT NULL,      -- JSON: settings of the run, docs/schema.md
    command            VARCHAR NOT NULL,      -- command line
    started_at         TIMESTAMP NOT NULL,    -- UTC
    autostrada_version VARCHAR NOT NULL,      -- version that ran the experiment
    host               VARCHAR NOT NULL       -- JSON: facts of the machine, docs/schema.md
);

CREATE TABLE part (                           -- an earlier run whose trials a run has taken over (--add-to)
    run_id             BIGINT NOT NULL,       -- of table run
    part               INTEGER NOT NULL,      -- from 0, in the order in which they were measured
    command            VARCHAR NOT NULL,      -- as in table run
    started_at         TIMESTAMP NOT NULL,    -- as in table run
    autostrada_version VARCHAR NOT NULL,      -- as in table run
    host               VARCHAR NOT NULL       -- as in table run
);

CREATE TABLE contestant_version (             -- the measured contestants: one row per contestant and run
    run_id     BIGINT NOT NULL,               -- of table run
    contestant VARCHAR NOT NULL,              -- name of the folder, followed by +variant for a variant
    library    VARCHAR NOT NULL,              -- name of the library, as its authors write it
    language   VARCHAR NOT NULL,              -- language of the program
    homepage   VARCHAR NOT NULL,              -- homepage of the library
    version    VARCHAR,                       -- NULL if the contestant could not be built
    toolchain  VARCHAR,                       -- output of the commands of its requirements
    digest     VARCHAR NOT NULL,              -- digest of the folder and its kit
    delivers   VARCHAR,                       -- what a client holds of a text: docs/contract.md 3.5; NULL without a client
    validates_utf8 BOOLEAN,                   -- whether the client's library refuses a text that is not UTF-8
    settings     VARCHAR,                     -- JSON: settings of the library that decide a rank, by role and name
    failed_cases VARCHAR                      -- JSON: cases of the Autobahn test suite that it fails, by role; without a role that was not tested
);

CREATE TABLE trial (                          -- one attempt at one cell
    trial_id         BIGINT NOT NULL,         -- 1, 2, … over all runs
    run_id           BIGINT NOT NULL,         -- of table run
    contestant       VARCHAR NOT NULL,        -- measured contestants: server × client, without the engine
    server           VARCHAR NOT NULL,        -- of table contestant_version; 'reference' is the engine
    client           VARCHAR NOT NULL,        -- as server
    workload         VARCHAR NOT NULL,        -- name of the workload's point: 'push', 'json processes=2'
    parameters       VARCHAR NOT NULL,        -- JSON: values of the workload's swept parameters, {"processes":"2"}; {} without
    repetition       INTEGER NOT NULL,        -- from 0
    retry            INTEGER NOT NULL,        -- from 0; disturbed trials are repeated
    started_at       TIMESTAMP NOT NULL,      -- UTC
    taken_ns         BIGINT NOT NULL,         -- duration of the whole attempt, with the wait for an idle machine
    settled_ns       BIGINT NOT NULL,         -- time spent waiting for an idle machine
    load_before      DOUBLE NOT NULL,         -- cores used by other processes just before the trial
    disturbance      VARCHAR NOT NULL,        -- description of the disturbance; '' if there was none
    stolen_share     DOUBLE,                  -- largest share of a core that the hypervisor took; NULL if it is not counted
    outcome          VARCHAR NOT NULL CHECK (outcome IN ('measurement', 'failure')),
    part             INTEGER,                 -- of table part; NULL if the run made the trial itself
    superseded       VARCHAR                  -- why a trial of a part counts no longer; NULL if it counts
);

CREATE VIEW counted_trial AS                  -- the trial of each repetition from which metrics are computed
SELECT * FROM trial
WHERE superseded IS NULL
QUALIFY row_number() OVER (
    PARTITION BY run_id, server, client, workload, repetition ORDER BY disturbance <> '', retry DESC
) = 1;

CREATE TABLE measurement (                    -- the outcome of a trial that succeeded
    trial_id             BIGINT NOT NULL,     -- of table trial
    messages             BIGINT NOT NULL,     -- messages of all clients that arrived correctly
    payload_bytes        BIGINT NOT NULL,     -- payload of all these messages
    duration_ns          BIGINT NOT NULL,     -- push: by the engine, first byte sent to close received
    client_duration_ns   BIGINT,              -- push: as the client reports, opened to last message
    server_utilization   DOUBLE,              -- share of one core during duration_ns; NULL: missing_metric
    server_blocked_share DOUBLE,              -- push: share of duration_ns without room in the socket
    client_utilization   DOUBLE,              -- share of one core; above 1 with several threads
    congestion_control   VARCHAR,             -- push: congestion control of the connection
    sender               VARCHAR NOT NULL,    -- 'client' or 'server': the end that sends the counted messages
    pacing               VARCHAR NOT NULL,    -- what determines when messages are sent: docs/glossary.md, pacing
    achieved_share       DOUBLE,              -- share of the due messages; NULL if none were due
    engine_limit         VARCHAR NOT NULL,    -- how the load generator was the bottleneck, in words; '' if it was not
    faults               VARCHAR NOT NULL,    -- what broke, in words; '' if nothing did
    violation            VARCHAR NOT NULL     -- why is_steady is 0 or a cold time is missing; '' if none is
);

CREATE TABLE metric (                         -- further metrics of a measurement
    trial_id BIGINT NOT NULL,                 -- of table trial
    process  VARCHAR NOT NULL,                -- process of the metric: 'client', 'client 2', 'server', 'reference'
    metric   VARCHAR NOT NULL,                -- docs/experiments.md; the name ends with the unit
    value    DOUBLE NOT NULL
);

CREATE TABLE bucket (                         -- durations of a measurement; histograms merge by adding counts
    trial_id BIGINT NOT NULL,                 -- of table trial
    process  VARCHAR NOT NULL,                -- as in metric
    metric   VARCHAR NOT NULL,                -- 'latency_ns', 'response_time_ns'
    value_ns BIGINT NOT NULL,                 -- rounded (docs/published.md 2.3), or the middle of a bucket
    count    BIGINT NOT NULL
);

CREATE TABLE process_total (                  -- the processes of a measurement, during duration_ns
    trial_id            BIGINT NOT NULL,      -- of table trial
    process             VARCHAR NOT NULL,     -- 'server', 'client' (all clients together), 'client 2', 'reference'
    cpu_ns              BIGINT NOT NULL,      -- user and system time
    resident_bytes      BIGINT NOT NULL,      -- resident size at the end
    peak_resident_bytes BIGINT NOT NULL       -- maximum resident size until then
);

CREATE TABLE end_evidence (                   -- both ends of a measurement during duration_ns, for its verdict
    trial_id                      BIGINT NOT NULL, -- of table trial
    process                       VARCHAR NOT NULL, -- 'client' or 'server'
    is_engine                     BOOLEAN NOT NULL,
    cpu_cores                     DOUBLE,     -- CPU time by time; NULL with fewer than two samples
    utilization                   DOUBLE,     -- engine: share of the time; contestant: share of its cores
    cpu_limit_cores               DOUBLE,     -- limit of its CPU time by time; NULL if only its cores limit it
    receive_queue_filled_share    DOUBLE,     -- share of all sockets in all samples; NULL without samples
    send_queue_filled_share       DOUBLE,     -- share of all sockets in all samples
    unsent_share                  DOUBLE,     -- share of the samples with data that was not sent once
    receive_window_limited_share  DOUBLE,     -- share of the time, as a sender
    send_buffer_limited_share     DOUBLE,     -- share of the time, as a sender
    retransmitted_share           DOUBLE      -- share of the sent segments
);

CREATE TABLE process_sample (                 -- a sample of a process tree; counters since its start
    trial_id            BIGINT NOT NULL,      -- of table trial
    process             VARCHAR NOT NULL,     -- as in process_total
    since_start_ns      BIGINT NOT NULL,      -- time since the first byte sent; negative before it
    cpu_ns              BIGINT NOT NULL,      -- user and system time
    user_ns             BIGINT,               -- NULL, here and below: table missing_metric
    system_ns           BIGINT,
    resident_bytes      BIGINT NOT NULL,
    proportional_bytes  BIGINT,               -- shared memory is divided among its processes
    peak_resident_bytes BIGINT NOT NULL,
    threads             BIGINT,
    switches_voluntary  BIGINT,               -- context switches in order to wait
    switches_forced     BIGINT,               -- context switches by preemption
    faults_minor        BIGINT,               -- page faults without disk access
    faults_major        BIGINT,               -- page faults with disk access
    files               BIGINT                -- open file descriptors
);

CREATE TABLE socket_sample (                  -- a sample of the TCP sockets of a process
    trial_id                   BIGINT NOT NULL, -- of table trial
    process                    VARCHAR NOT NULL, -- as in process_total
    since_start_ns             BIGINT NOT NULL, -- as in process_sample
    connections                BIGINT NOT NULL,
    sampled                    BIGINT NOT NULL, -- sampled connections, to which all following columns refer
    send_queue_bytes           BIGINT NOT NULL, -- sum; not yet acknowledged
    send_queue_bytes_max       BIGINT NOT NULL, -- of one socket
    send_queues_filled         BIGINT NOT NULL, -- sockets whose queue is not empty
    receive_queue_bytes        BIGINT NOT NULL, -- sum; not yet read
    receive_queue_bytes_max    BIGINT NOT NULL, -- of one socket
    receive_queues_filled      BIGINT NOT NULL, -- sockets whose queue is not empty
    unsent_bytes               BIGINT NOT NULL, -- sum; part of the send queues that was not sent once
    memory_bytes               BIGINT NOT NULL, -- sum; memory charged to the sockets: queues with overhead, reserves
    sent_bytes                 BIGINT NOT NULL, -- acknowledged; this and all following columns are counters
    received_bytes             BIGINT NOT NULL,
    segments_out               BIGINT NOT NULL,
    segments_in                BIGINT NOT NULL,
    retransmits                BIGINT NOT NULL,
    rtt_ns_median              BIGINT NOT NULL, -- no counter: median of the smoothed round-trip times
    busy_ns                    BIGINT NOT NULL, -- time with unacknowledged data
    receive_window_limited_ns  BIGINT NOT NULL, -- part of busy_ns spent waiting for the peer's window
    send_buffer_limited_ns     BIGINT NOT NULL -- part of busy_ns spent waiting for room to send
);

CREATE TABLE host_sample (                    -- a sample of the machine; counters since its start
    trial_id               BIGINT NOT NULL,   -- of table trial
    since_start_ns         BIGINT NOT NULL,   -- as in process_sample
    zero_windows_sent      BIGINT,            -- receive windows that a receiver closed
    zero_windows_wanted    BIGINT,            -- windows that a receiver could not close, because they cannot shrink
    pruned                 BIGINT,            -- receive queues that exceeded their limit
    receive_drops          BIGINT,            -- segments dropped for lack of room
    listen_overflows       BIGINT,            -- connections that were not accepted in time
    listen_drops           BIGINT,
    retransmits            BIGINT,            -- retransmitted segments of all TCP connections
    loopback_bytes         BIGINT,            -- bytes through the loopback device
    memory_available_bytes BIGINT,            -- no counter
    slab_bytes             BIGINT,            -- no counter; memory of the kernel's data structures, sockets included
    tcp_memory_bytes       BIGINT,            -- no counter; memory of the queues of all TCP sockets
    pressure_cpu_some_ns   BIGINT             -- time in which a runnable task waited for a CPU
);

CREATE TABLE core_sample (                    -- a sample of a core of the machine; counters
    trial_id       BIGINT NOT NULL,           -- of table trial
    since_start_ns BIGINT NOT NULL,           -- as in process_sample
    core           INTEGER NOT NULL,          -- number of the core
    busy_ns        BIGINT NOT NULL,           -- time used by any process, including softirq_ns
    idle_ns        BIGINT NOT NULL,
    steal_ns       BIGINT,                    -- time that the hypervisor gave to other machines
    softirq_ns     BIGINT NOT NULL,           -- time in soft interrupts, mostly of the network
    loops          BIGINT,                    -- loops of fixed length that were timed on it; NULL if none was
    loops_ns       BIGINT,                    -- sum of their times
    messages       BIGINT,                    -- messages in memory to another core, and back; NULL if none was timed
    messages_ns    BIGINT                     -- sum of their times
);

CREATE TABLE missing_metric (                 -- the metrics that could not be observed in a trial
    trial_id BIGINT NOT NULL,                 -- of table trial
    metric   VARCHAR NOT NULL,                -- sockets, processes.client.proportional_bytes, …
    reason   VARCHAR NOT NULL                 -- one sentence
);

CREATE TABLE second (                         -- the time series of a measurement, per second
    trial_id BIGINT NOT NULL,                 -- of table trial
    process  VARCHAR NOT NULL,                -- counting process: a client (received) or 'server' (sent)
    second   INTEGER NOT NULL,                -- from 0; the last one is usually not a whole second
    messages BIGINT NOT NULL,                 -- messages in this second
    bytes    BIGINT NOT NULL                  -- payload in this second
);

CREATE TABLE mark (                           -- the answers of a client to the pings of a push
    trial_id       BIGINT NOT NULL,           -- of table trial
    since_start_ns BIGINT NOT NULL,           -- as in process_sample
    messages       BIGINT NOT NULL            -- messages that preceded the ping, and that the client had processed
);

CREATE TABLE slice (                          -- the turns of a trial that was measured in slices: docs/methodology.md
    trial_id       BIGINT NOT NULL,           -- of table trial; its repetition is the number of the start
    since_start_ns BIGINT NOT NULL,           -- time of its first message since the start began, for all its trials
    duration_ns    BIGINT NOT NULL,           -- from its first message until its last answer
    messages       BIGINT NOT NULL,           -- messages that arrived in it
    server_cpu_ns  BIGINT,                    -- CPU time until the next turn; NULL if it is not known
    client_cpu_ns  BIGINT,                    -- as server_cpu_ns
    server_loop_ns DOUBLE,                    -- time of a loop of fixed length on the server's cores; NULL if not known
    client_loop_ns DOUBLE,                    -- as server_loop_ns
    core_message_ns DOUBLE                    -- time of a message in memory between the ends' cores, and back
);

CREATE TABLE failure (                        -- the failure of a trial, or (trial_id NULL) of a contestant as a whole
    run_id      BIGINT NOT NULL,              -- of table run
    contestant  VARCHAR NOT NULL,             -- of table contestant_version
    trial_id    BIGINT,                       -- of table trial
    kind        VARCHAR NOT NULL,             -- docs/glossary.md lists the kinds
    message     VARCHAR NOT NULL,             -- one line, with the remedy if there is one
    stderr_tail VARCHAR NOT NULL              -- last lines of standard error; '' if there are none
);

CREATE TABLE calibration (                    -- a calibration of the engine by injected faults
    calibration_id     BIGINT NOT NULL,       -- 1, 2, …
    started_at         TIMESTAMP NOT NULL,    -- UTC
    command            VARCHAR NOT NULL,      -- command line
    extent             VARCHAR NOT NULL CHECK (extent IN ('full', 'quick', 'some')),
    autostrada_version VARCHAR NOT NULL,      -- version that ran the calibration
    engine_version     VARCHAR NOT NULL,      -- calibrated version
    host               VARCHAR NOT NULL,      -- JSON: facts of the machine, docs/schema.md
    machine            VARCHAR NOT NULL,      -- JSON: capabilities of the machine, as the engine's probe found them
    outcome            VARCHAR NOT NULL CHECK (outcome IN ('pass', 'fail', 'disturbed'))
);

CREATE TABLE calibration_reading (            -- a metric of a fault case; a disturbed case has a row without a metric
    calibration_id BIGINT NOT NULL,           -- of table calibration
    fault_case     VARCHAR NOT NULL,          -- name of the fault case: delay-20ms
    topology       VARCHAR NOT NULL,          -- the end that injects the fault and the end that measures
    outcome        VARCHAR NOT NULL CHECK (outcome IN ('pass', 'fail', 'disturbed')),
    attempts       INTEGER NOT NULL,          -- number of measurements of the case
    reason         VARCHAR NOT NULL,          -- description of the disturbance; '' if there was none
    metric         VARCHAR,                   -- name of the compared metric, which ends with the unit
    seen           DOUBLE,                    -- reported value
    expected       DOUBLE,                    -- expected value
    tolerance      DOUBLE                     -- maximum difference of both
);
