-- The evidence of the bottleneck of each counted measurement: one row per end of a trial.
SELECT
    *,
    server_blocked_share AS blocked_share,
    sent.value AS sent_share
FROM counted_trial
JOIN measurement USING (trial_id)
JOIN end_evidence USING (trial_id)
LEFT JOIN (
    SELECT trial_id, value FROM metric WHERE metric = 'sent_share'
) AS sent USING (trial_id)
WHERE run_id = $run_id
ORDER BY workload, server, client, repetition, process;
