-- The memory of servers whose counted trials ended out of memory: one row per trial, with lists of samples
-- from the start of the trial, ordered by time.
SELECT
    server,
    client,
    workload,
    repetition,
    list(since_start_ns / 1e9 ORDER BY since_start_ns) AS at_s,
    list(resident_bytes ORDER BY since_start_ns)       AS resident_bytes
FROM counted_trial
JOIN failure USING (trial_id)
JOIN process_sample USING (trial_id)
WHERE counted_trial.run_id = $run_id
    AND kind = 'out of memory'
    AND failure.contestant = server
    AND process = 'server'
    AND since_start_ns >= 0
GROUP BY server, client, workload, repetition
ORDER BY workload, server, client, repetition;
