-- What waited in the sockets of each counted measurement? One row a process whose sockets were seen;
-- lists by time, of the looks while duration_ns ran, empty where none fell into it.
SELECT
    workload,
    contestant,
    repetition,
    process,
    coalesce(list(since_start_ns / 1e9 ORDER BY since_start_ns) FILTER (is_within), []) AS at_s,
    coalesce(list(send_queue_bytes ORDER BY since_start_ns) FILTER (is_within), [])     AS send_queue_bytes,
    coalesce(list(receive_queue_bytes ORDER BY since_start_ns) FILTER (is_within), [])  AS receive_queue_bytes
FROM (
    SELECT *, since_start_ns BETWEEN 0 AND duration_ns AS is_within
    FROM counted_trial
    JOIN measurement USING (trial_id)
    JOIN socket_sample USING (trial_id)
    WHERE run_id = $run_id
)
GROUP BY workload, contestant, repetition, process
ORDER BY workload, contestant, repetition, process;
