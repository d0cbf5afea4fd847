-- The figures that could not be observed in counted trials, with reasons. Repetitions count from 0.
SELECT workload, contestant, figure, reason, list(DISTINCT repetition ORDER BY repetition) AS repetitions
FROM counted_trial
JOIN missing_figure USING (trial_id)
WHERE run_id = $run_id
GROUP BY workload, contestant, figure, reason
ORDER BY workload, contestant, figure, reason;
