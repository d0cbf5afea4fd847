-- The counted trials of cells with a parameter. meets_objective is 1 if a trial met the objective of its search and
-- 0 if it did not; it is NULL for failures and for trials outside a search. violation is the reason in words, ''
-- if the objective was met.
SELECT server, client, workload, value AS meets_objective, coalesce(failure.kind || ': ' || message, violation) AS violation
FROM counted_trial
LEFT JOIN measurement ON measurement.trial_id = counted_trial.trial_id
LEFT JOIN figure ON figure.trial_id = counted_trial.trial_id AND figure.figure = 'meets_objective'
LEFT JOIN failure ON failure.trial_id = counted_trial.trial_id
WHERE counted_trial.run_id = $run_id AND contains(workload, '=')
ORDER BY counted_trial.trial_id;
