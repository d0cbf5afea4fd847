-- How many messages had arrived when? One line a counted trial: from nothing, second by second, to
-- all of them at the end, which the client does not print because it is not a whole second.
WITH counted AS (
    SELECT trial_id, workload, contestant, repetition, duration_ns, messages
    FROM counted_trial
    JOIN measurement USING (trial_id)
    WHERE run_id = $run_id
),
point AS (
    SELECT trial_id, 0.0 AS at_s, 0 AS received FROM counted
    UNION ALL
    SELECT
        trial_id,
        second + 1.0,
        CAST(sum(second.messages) OVER (PARTITION BY trial_id ORDER BY second) AS BIGINT)
    FROM counted
    JOIN second USING (trial_id)
    WHERE process = 'client' AND second + 1.0 < duration_ns / 1e9
    UNION ALL
    SELECT trial_id, duration_ns / 1e9, messages FROM counted
)
SELECT workload, contestant, repetition, CAST(at_s AS DOUBLE) AS at_s, received
FROM point
JOIN counted USING (trial_id)
ORDER BY workload, contestant, repetition, at_s;
