-- The metrics that the trials of a run recorded.
SELECT trial_id, process, metric, value
FROM metric
JOIN trial USING (trial_id)
WHERE run_id = $run_id
ORDER BY ALL;
