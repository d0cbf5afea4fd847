-- The slices of the counted measurements of a run; a repeated start has an instant of its own.
SELECT
    server,
    client,
    workload,
    dense_rank() OVER (ORDER BY repetition, retry) AS start,
    slice.since_start_ns,
    duration_ns,
    messages,
    server_cpu_ns,
    client_cpu_ns,
    server_loop_ns,
    client_loop_ns,
    core_message_ns
FROM slice
JOIN counted_trial USING (trial_id)
WHERE run_id = $run_id AND outcome = 'measurement' AND messages > 0
ORDER BY ALL;
