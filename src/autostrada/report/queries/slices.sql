-- The slices of the counted measurements of a run; a repeated start has rounds of its own.
SELECT
    server,
    client,
    workload,
    dense_rank() OVER (ORDER BY repetition, retry) AS start,
    round,
    duration_ns,
    messages,
    server_cpu_ns,
    client_cpu_ns
FROM slice
JOIN counted_trial USING (trial_id)
WHERE run_id = $run_id AND outcome = 'measurement' AND messages > 0
ORDER BY ALL;
