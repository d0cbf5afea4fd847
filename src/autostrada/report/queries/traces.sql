-- What of each counted trial tells why a client was fast? One row a measurement. What the looks tell is
-- NULL where nobody looked twice; it is of the time from the last look before the first byte, or the
-- first one after it, to the last one while it ran.
WITH seen AS (
    SELECT
        *,
        max(since_start_ns) FILTER (since_start_ns <= 0) OVER (PARTITION BY trial_id) AS before_ns
    FROM process_sample
    JOIN socket_sample USING (trial_id, process, since_start_ns)
    WHERE process = 'client'
),
looked AS (
    SELECT
        trial_id,
        max(switches_voluntary) - min(switches_voluntary) AS wake_ups,
        max(received_bytes) - min(received_bytes)         AS received_bytes,
        max(segments_in) - min(segments_in)               AS segments,
        max(received_bytes - receive_queue_bytes) - min(received_bytes - receive_queue_bytes) AS read_bytes
    FROM seen
    JOIN measurement USING (trial_id)
    WHERE since_start_ns BETWEEN coalesce(before_ns, 0) AND duration_ns
    GROUP BY trial_id
    HAVING count(*) > 1
),
handed AS (
    SELECT
        trial_id,
        max(value) FILTER (figure = 'wire_bytes')  AS wire_bytes,
        max(value) FILTER (figure = 'write_calls') AS write_calls
    FROM figure
    WHERE process = 'server'
    GROUP BY trial_id
)
SELECT
    workload,
    client,
    repetition,
    messages,
    payload_bytes,
    duration_ns,
    client_duration_ns,
    wire_bytes,
    write_calls,
    wake_ups,
    received_bytes,
    segments,
    read_bytes
FROM counted_trial
JOIN measurement USING (trial_id)
LEFT JOIN looked USING (trial_id)
LEFT JOIN handed USING (trial_id)
WHERE run_id = $run_id
ORDER BY workload, client, repetition;
