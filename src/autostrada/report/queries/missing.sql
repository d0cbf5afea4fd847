-- The metrics that could not be observed in counted trials, with reasons. Repetitions count from 0.
SELECT workload, contestant, metric, reason, list(DISTINCT repetition ORDER BY repetition) AS repetitions
FROM counted_trial
JOIN missing_metric USING (trial_id)
WHERE run_id = $run_id
GROUP BY workload, contestant, metric, reason
ORDER BY workload, contestant, metric, reason;
