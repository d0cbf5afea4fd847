-- The figures that the trials of a run recorded.
SELECT trial_id, process, figure, value
FROM figure
JOIN trial USING (trial_id)
WHERE run_id = $run_id
ORDER BY ALL;
