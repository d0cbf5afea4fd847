-- What failed, and why? One row a failure; workload and repetition are NULL for a whole contestant.
SELECT
    failure.contestant,
    workload,
    repetition,
    coalesce(is_warm_up, FALSE) AS is_warm_up,
    kind,
    message,
    stderr_tail
FROM failure
LEFT JOIN trial USING (trial_id)
WHERE failure.run_id = $run_id
ORDER BY failure.contestant, workload NULLS FIRST, is_warm_up DESC, repetition;
