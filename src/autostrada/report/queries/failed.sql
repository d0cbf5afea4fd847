-- The counted failures of a run: one row per trial, or per contestant (workload NULL) that failed as a whole.
SELECT failure.contestant, counted_trial.workload, kind
FROM failure
LEFT JOIN counted_trial USING (trial_id)
WHERE failure.run_id = $run_id AND (failure.trial_id IS NULL OR counted_trial.trial_id IS NOT NULL)
ORDER BY failure.contestant, workload NULLS FIRST, repetition;
