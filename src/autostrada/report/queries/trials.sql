-- Which attempts were made, in which order, and what became of them? Warm-ups and failures included.
SELECT
    started_at,
    workload,
    trial.contestant,
    repetition,
    is_warm_up,
    retry,
    disturbance,
    messages,
    duration_ns / nullif(messages, 0) AS ns_per_message,
    server_busy_share,
    client_busy_share,
    kind
FROM trial
LEFT JOIN measurement USING (trial_id)
LEFT JOIN failure ON failure.trial_id = trial.trial_id
WHERE trial.run_id = $run_id
ORDER BY trial.trial_id;
