-- The time series of one trial of each cell: the counted measurement of median duration, else a failure. One row per
-- metric and process, with lists ordered by time. messages and cpu_ns are totals since the start of the trial; cores
-- is the mean of the whole trial.
WITH placed AS (
    SELECT
        trial_id, server, client, workload, repetition, messages, congestion_control IS NOT NULL AS is_push,
        duration_ns,
        row_number() OVER cell AS place,
        count(duration_ns) OVER (PARTITION BY server, client, workload) AS measured
    FROM counted_trial
    LEFT JOIN measurement USING (trial_id)
    WHERE run_id = $run_id
    WINDOW cell AS (PARTITION BY server, client, workload ORDER BY duration_ns IS NULL, duration_ns, repetition)
),
chosen AS (
    SELECT *, coalesce(duration_ns, 86400000000000) AS end_ns FROM placed WHERE place = greatest(1, (measured + 1) // 2)
),
arrived AS (
    SELECT trial_id, since_start_ns / 1e9 AS at_s, mark.messages AS value
    FROM chosen
    JOIN mark USING (trial_id)
    UNION ALL
    SELECT trial_id, second + 1.0 AS at_s, sum(sum(second.messages)) OVER (PARTITION BY trial_id ORDER BY second) AS value
    FROM chosen
    JOIN second USING (trial_id)
    ANTI JOIN mark USING (trial_id)
    WHERE process LIKE 'client%' AND (second + 1.0) * 1e9 <= end_ns
    GROUP BY trial_id, second
    UNION ALL
    SELECT trial_id, 0.0, 0 FROM chosen WHERE duration_ns IS NOT NULL
    UNION ALL
    SELECT trial_id, duration_ns / 1e9, messages FROM chosen WHERE is_push
),
seen AS (
    SELECT trial_id, process, 'cpu_ns' AS metric, since_start_ns / 1e9 AS at_s, cpu_ns AS value
    FROM process_sample
    UNION ALL
    SELECT trial_id, process, 'resident_bytes', since_start_ns / 1e9, resident_bytes FROM process_sample
    UNION ALL
    SELECT trial_id, process, 'queue_bytes', since_start_ns / 1e9,
        CASE process WHEN 'server' THEN send_queue_bytes ELSE receive_queue_bytes END
    FROM socket_sample
    UNION ALL
    SELECT trial_id, 'client', 'messages', at_s, value FROM arrived
    UNION ALL
    SELECT trial_id, process, 'cores', duration_ns / 1e9, cpu_ns / duration_ns
    FROM process_total
    JOIN measurement USING (trial_id)
)
SELECT
    server, client, workload, repetition, process, metric,
    CAST(coalesce(any_value(duration_ns) / 1e9, max(at_s)) AS DOUBLE) AS duration_s,
    list(CAST(at_s AS DOUBLE) ORDER BY at_s)                          AS at_s,
    list(CAST(value AS DOUBLE) ORDER BY at_s)                         AS value
FROM chosen
JOIN seen USING (trial_id)
WHERE process IN ('client', 'server') AND at_s BETWEEN 0 AND end_ns / 1e9
GROUP BY ALL
ORDER BY workload, server, client, metric, process;
