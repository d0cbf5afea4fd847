-- The failures of a run: one row per failure; workload and repetition are NULL if a contestant failed as a whole.
-- Repeated trials are not counted.
SELECT
    failure.*,
    trial.server,
    trial.client,
    trial.workload,
    trial.repetition,
    failure.trial_id IS NULL OR counted_trial.trial_id IS NOT NULL AS is_counted
FROM failure
LEFT JOIN trial ON trial.trial_id = failure.trial_id
LEFT JOIN counted_trial ON counted_trial.trial_id = failure.trial_id
WHERE failure.run_id = $run_id AND trial.superseded IS NULL
ORDER BY failure.contestant, trial.workload NULLS FIRST, trial.repetition, trial.retry;
