-- What does each counted measurement say? One row a figure of a process. What is not stored as a figure
-- is worked out: of the durations' buckets, the processes' totals and the measurement.
WITH counted AS (
    SELECT trial_id, server, client, workload, repetition, duration_ns, messages, congestion_control
    FROM counted_trial
    JOIN measurement USING (trial_id)
    WHERE run_id = $run_id
),
histogram AS (
    SELECT trial_id, replace(replace(figure, '_time_ns', '_ms'), '_ns', '_ms') AS figure, value_ns, sum(count) AS count
    FROM counted
    JOIN bucket USING (trial_id)
    GROUP BY ALL
),
ranked AS (
    SELECT
        *,
        sum(count) OVER (PARTITION BY trial_id, figure ORDER BY value_ns) AS seen,
        sum(count) OVER (PARTITION BY trial_id, figure)                   AS total
    FROM histogram
),
duration AS (
    SELECT
        trial_id,
        figure,
        sum(value_ns * count) / sum(count)                          AS mean,
        min(value_ns) FILTER (seen >= ceil(0.5 * CAST(total AS BIGINT)))  AS p50,
        min(value_ns) FILTER (seen >= ceil(0.99 * CAST(total AS BIGINT))) AS p99,
        max(value_ns)                                               AS longest
    FROM ranked
    GROUP BY ALL
),
told AS (
    SELECT trial_id, process, figure, value, 1 AS source FROM figure
    UNION ALL
    SELECT trial_id, 'client', figure || '_mean', mean / 1e6, 2 FROM duration
    UNION ALL
    SELECT trial_id, 'client', figure || '_p50', p50 / 1e6, 2 FROM duration
    UNION ALL
    SELECT trial_id, 'client', figure || '_p99', p99 / 1e6, 2 FROM duration
    UNION ALL
    SELECT trial_id, 'client', figure || '_max', longest / 1e6, 2 FROM duration
    UNION ALL
    SELECT trial_id, 'server', 'server_cpu_share', cpu_ns / duration_ns, 2
    FROM counted
    JOIN process_total USING (trial_id)
    WHERE process = 'server'
    UNION ALL
    SELECT trial_id, process, 'client_cpu_share', cpu_ns / duration_ns, 2
    FROM counted
    JOIN process_total USING (trial_id)
    WHERE process LIKE 'client %'
    UNION ALL
    SELECT trial_id, 'client', 'client_cpu_share', cpu_ns / duration_ns, 3
    FROM counted
    JOIN process_total USING (trial_id)
    WHERE process = 'client'
    UNION ALL
    SELECT trial_id, 'server', 'server_memory_bytes_max', peak_resident_bytes, 2
    FROM process_total
    WHERE process = 'server'
    UNION ALL
    -- Of a push alone the congestion control is known.
    SELECT trial_id, 'client', 'ms_per_million', duration_ns / messages, 2
    FROM counted
    WHERE congestion_control IS NOT NULL AND messages > 0
)
SELECT server, client, workload, repetition, figure, list(process ORDER BY process) AS processes, list(value ORDER BY process) AS samples
FROM counted
JOIN told USING (trial_id)
WHERE value IS NOT NULL
GROUP BY trial_id, server, client, workload, repetition, figure, source
QUALIFY row_number() OVER (PARTITION BY trial_id, figure ORDER BY source) = 1
ORDER BY workload, server, client, figure, repetition;
