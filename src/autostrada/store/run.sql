-- The metrics of a run as a single table: a row per metric of a trial, and a row without a metric per failure.
-- Derived metrics are in the temporary tables "computed" and "statistic".

WITH metrics AS (
    UNPIVOT (
        SELECT trial_id, '' AS process, COLUMNS(* EXCLUDE (
            trial_id, congestion_control, sender, pacing, engine_limit, faults, violation
        ))::DOUBLE
        FROM measurement
    ) ON COLUMNS (* EXCLUDE (trial_id, process)) INTO NAME metric VALUE value
    UNION ALL
    UNPIVOT (
        SELECT trial_id, process, COLUMNS(* EXCLUDE (trial_id, process))::DOUBLE FROM process_total
    ) ON COLUMNS (* EXCLUDE (trial_id, process)) INTO NAME metric VALUE value
    UNION ALL
    UNPIVOT (
        SELECT trial_id, process, COLUMNS(* EXCLUDE (trial_id, process, is_engine))::DOUBLE
        FROM end_evidence
    ) ON COLUMNS (* EXCLUDE (trial_id, process)) INTO NAME metric VALUE value
    UNION ALL
    SELECT trial_id, process, metric, value FROM computed
    UNION ALL
    SELECT trial_id, process, metric, value FROM statistic
    UNION ALL
    SELECT trial_id, process, metric, value FROM metric
),
versions AS (
    SELECT contestant, version FROM contestant_version WHERE run_id = $run_id
)
SELECT
    run.experiment,
    trial.trial_id,
    trial.started_at,
    trial.server,
    server.version AS server_version,
    trial.client,
    client.version AS client_version,
    trial.workload,
    trial.parameters,
    trial.repetition,
    trial.retry,
    trial.trial_id IN (SELECT trial_id FROM counted_trial) AS is_counted,
    trial.disturbance,
    failure.kind AS failure,
    failure.message AS failure_message,
    metrics.process,
    metrics.metric,
    metrics.value
FROM trial
JOIN run USING (run_id)
LEFT JOIN metrics USING (trial_id)
LEFT JOIN failure ON failure.trial_id = trial.trial_id
LEFT JOIN versions AS server ON server.contestant = trial.server
LEFT JOIN versions AS client ON client.contestant = trial.client
WHERE trial.run_id = $run_id
UNION ALL
SELECT
    run.experiment, NULL, NULL, NULL, NULL, failure.contestant, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    failure.kind, failure.message, NULL, NULL, NULL
FROM failure
JOIN run USING (run_id)
WHERE failure.run_id = $run_id AND failure.trial_id IS NULL
