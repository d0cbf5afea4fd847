-- What could not be observed, why, and in which of the counted trials? Repetitions from 0.
SELECT workload, contestant, figure, reason, list(DISTINCT repetition ORDER BY repetition) AS repetitions
FROM counted_trial
JOIN missing_figure USING (trial_id)
WHERE run_id = $run_id
GROUP BY workload, contestant, figure, reason
ORDER BY workload, contestant, figure, reason;
