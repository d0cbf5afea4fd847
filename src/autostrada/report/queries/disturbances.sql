-- What disturbed which trials? Warm-ups are left out; is_counted where no undisturbed one replaced it.
SELECT
    trial.workload,
    trial.contestant,
    trial.server,
    trial.client,
    trial.repetition,
    trial.retry,
    trial.disturbance,
    counted_trial.trial_id IS NOT NULL AS is_counted
FROM trial
LEFT JOIN counted_trial USING (trial_id)
WHERE trial.run_id = $run_id AND NOT trial.is_warm_up AND trial.disturbance <> ''
ORDER BY trial.trial_id;
