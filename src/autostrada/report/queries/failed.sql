-- What has no figures, and why? One row a counted trial, or (workload NULL) a whole contestant.
SELECT failure.contestant, counted_trial.workload, kind
FROM failure
LEFT JOIN counted_trial USING (trial_id)
WHERE failure.run_id = $run_id AND (failure.trial_id IS NULL OR counted_trial.trial_id IS NOT NULL)
ORDER BY failure.contestant, workload NULLS FIRST, repetition;
