-- The metrics that could not be observed in counted trials, with reasons.
SELECT DISTINCT workload, contestant, metric, reason
FROM counted_trial
JOIN missing_metric USING (trial_id)
WHERE run_id = $run_id
ORDER BY workload, contestant, metric, reason;
