-- All attempts of a run in order, with their outcome, including failures.
SELECT
    started_at,
    workload,
    trial.contestant,
    server,
    client,
    repetition,
    retry,
    taken_ns,
    disturbance,
    stolen_share,
    messages,
    duration_ns / nullif(messages, 0) AS ns_per_message,
    server_utilization,
    client_utilization,
    kind
FROM trial
LEFT JOIN measurement USING (trial_id)
LEFT JOIN failure ON failure.trial_id = trial.trial_id
WHERE trial.run_id = $run_id
ORDER BY trial.trial_id;
