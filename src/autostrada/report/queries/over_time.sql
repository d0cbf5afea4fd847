-- How did long trials go over time? Of each cell the first counted trial that is at least half a minute long:
-- what each end had in memory, and how many messages came a second; a hundredth of the time a row.
WITH first AS (
    SELECT trial_id, server, client, workload
    FROM counted_trial
    WHERE run_id = $run_id
    QUALIFY row_number() OVER (PARTITION BY server, client, workload ORDER BY outcome DESC, repetition) = 1
),
lasting AS (
    SELECT first.*, max(since_start_ns) / 1e9 AS duration_s
    FROM first
    JOIN process_sample USING (trial_id)
    GROUP BY ALL
    HAVING duration_s >= 30
),
-- Whole seconds, and an even number of them: a feed may send every two seconds.
width AS (
    SELECT *, 2 * ceil(duration_s / 200) AS width_s FROM lasting
),
memory AS (
    SELECT
        trial_id,
        width_s * floor(since_start_ns / 1e9 / width_s) AS at_s,
        CASE process WHEN 'server' THEN 'server_memory_bytes' ELSE 'client_memory_bytes' END AS figure,
        max(resident_bytes) AS value
    FROM width
    JOIN process_sample USING (trial_id)
    WHERE process IN ('client', 'server') AND since_start_ns >= 0
    GROUP BY ALL
),
received AS (
    SELECT
        trial_id,
        width_s * floor(second / width_s) AS at_s,
        'received_per_s' AS figure,
        sum(messages) / any_value(width_s) AS value
    FROM width
    JOIN second USING (trial_id)
    WHERE process LIKE 'client%' AND (floor(second / width_s) + 1) * width_s <= duration_s
    GROUP BY ALL
)
SELECT server, client, workload, figure, CAST(at_s AS DOUBLE) AS at_s, CAST(value AS DOUBLE) AS value
FROM (FROM memory UNION ALL FROM received)
JOIN width USING (trial_id)
ORDER BY workload, server, client, figure, at_s;
