-- What came of each counted trial whose cell has a parameter? is_well is 1 where a search found all
-- well, 0 where not, and NULL where it is no part of a search; a failure has none. Why it was not well is
-- in words, '' where it was.
SELECT server, client, workload, value AS is_well, coalesce(failure.kind || ': ' || message, violated) AS violated
FROM counted_trial
LEFT JOIN measurement ON measurement.trial_id = counted_trial.trial_id
LEFT JOIN figure ON figure.trial_id = counted_trial.trial_id AND figure.figure = 'is_well'
LEFT JOIN failure ON failure.trial_id = counted_trial.trial_id
WHERE counted_trial.run_id = $run_id AND contains(workload, '=')
ORDER BY counted_trial.trial_id;
