-- Why counted measurements are not steady, in words.
SELECT server, client, workload, violation
FROM counted_trial
JOIN measurement USING (trial_id)
WHERE run_id = $run_id AND violation <> ''
ORDER BY workload, server, client, repetition;
