-- The counted measurements of a run, by cell and repetition.
SELECT trial_id, server, client, workload, repetition, stolen_share, part
FROM counted_trial
JOIN measurement USING (trial_id)
WHERE run_id = $run_id
ORDER BY workload, server, client, repetition;
