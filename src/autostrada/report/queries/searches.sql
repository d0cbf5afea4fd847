-- What came of each counted trial whose cell has a parameter? meets_objective is 1 where the objective of a search was
-- met, 0 where not, and NULL where it is no part of a search; a failure has none. Why it was not met is
-- in words, '' where it was.
SELECT server, client, workload, value AS meets_objective, coalesce(failure.kind || ': ' || message, violation) AS violation
FROM counted_trial
LEFT JOIN measurement ON measurement.trial_id = counted_trial.trial_id
LEFT JOIN figure ON figure.trial_id = counted_trial.trial_id AND figure.figure = 'meets_objective'
LEFT JOIN failure ON failure.trial_id = counted_trial.trial_id
WHERE counted_trial.run_id = $run_id AND contains(workload, '=')
ORDER BY counted_trial.trial_id;
