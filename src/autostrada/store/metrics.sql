-- The computed metrics of each measurement: a row per metric and process. A recorded metric takes precedence over a
-- computed one of the same name. Each expression is a SELECT from "process".
-- "sampled" covers the time from the last sample before the first byte, or else the first one after it, to the last
-- sample. The kernel counts user and system time in ticks of 10 ms, so a difference of two readings may be wrong by
-- one tick. With fewer than 10 ticks a share would be wrong by more than 10 %, so it is omitted.
WITH sampled AS (
    SELECT
        trial_id,
        process,
        (max(user_ns) - min(user_ns)) / (max(user_ns) - min(user_ns) + max(system_ns) - min(system_ns))
            AS user_share
    FROM (
        SELECT
            *,
            max(since_start_ns) FILTER (since_start_ns <= 0) OVER (PARTITION BY trial_id, process) AS before_ns
        FROM process_sample
    )
    JOIN measurement USING (trial_id)
    WHERE since_start_ns BETWEEN coalesce(before_ns, 0) AND duration_ns
    GROUP BY ALL
    HAVING count(*) > 1 AND max(user_ns) - min(user_ns) + max(system_ns) - min(system_ns) >= 10 * 10_000_000
),
-- "received" covers the same time.
received AS (
    SELECT
        trial_id,
        process,
        greatest(1, max(switches_voluntary) - min(switches_voluntary)) AS wake_ups,
        max(received_bytes) - min(received_bytes)                      AS received_bytes,
        max(segments_in) - min(segments_in)                            AS segments,
        max(received_bytes - receive_queue_bytes) - min(received_bytes - receive_queue_bytes) AS read_bytes
    FROM (
        SELECT
            *,
            max(since_start_ns) FILTER (since_start_ns <= 0) OVER (PARTITION BY trial_id, process) AS before_ns
        FROM process_sample
        JOIN socket_sample USING (trial_id, process, since_start_ns)
    )
    JOIN measurement USING (trial_id)
    WHERE since_start_ns BETWEEN coalesce(before_ns, 0) AND duration_ns
    GROUP BY ALL
    HAVING count(*) > 1
),
written AS (
    SELECT
        trial_id,
        max(value) FILTER (metric = 'wire_bytes')  AS wire_bytes,
        max(value) FILTER (metric = 'write_calls') AS write_calls
    FROM metric
    WHERE process = 'server'
    GROUP BY trial_id
),
-- Messages of the engine's clients beside those of a contestant.
beside AS (
    SELECT trial_id, sum(messages) AS beside_messages FROM second WHERE process LIKE 'reference%' GROUP BY trial_id
),
named AS (
    SELECT trial_id, process FROM process_total
    UNION
    SELECT trial_id, unnest(['client', 'server']) FROM measurement
),
process AS MATERIALIZED (
    SELECT
        * REPLACE (
            CASE WHEN process LIKE 'client%' THEN messages - coalesce(beside_messages, 0) ELSE messages END AS messages
        ),
        measurement.congestion_control IS NOT NULL AND messages > 0 AS is_push,
        wire_bytes / nullif(messages, 0)                            AS message_wire_bytes,
        process LIKE 'client %' OR process = 'client' AND NOT bool_or(process LIKE 'client %')
            OVER (PARTITION BY trial_id)                            AS is_each_client
    FROM measurement
    JOIN trial USING (trial_id)
    JOIN named USING (trial_id)
    LEFT JOIN process_total USING (trial_id, process)
    LEFT JOIN sampled USING (trial_id, process)
    LEFT JOIN received USING (trial_id, process)
    LEFT JOIN written USING (trial_id)
    LEFT JOIN beside USING (trial_id)
    WHERE run_id = $run_id
),
computed AS (
    $expressions
)
SELECT trial_id, process, metric, value
FROM computed
ANTI JOIN metric USING (trial_id, metric)
WHERE value IS NOT NULL AND isfinite(value)
