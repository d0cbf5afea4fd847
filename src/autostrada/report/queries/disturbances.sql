-- The disturbed trials of a run. is_counted is true if no undisturbed retry replaced the trial.
SELECT
    trial.*,
    trial.disturbance AS description,
    counted_trial.trial_id IS NOT NULL AS is_counted
FROM trial
LEFT JOIN counted_trial USING (trial_id)
WHERE trial.run_id = $run_id AND trial.disturbance <> '' AND trial.superseded IS NULL
ORDER BY trial.trial_id;
