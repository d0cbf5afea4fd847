-- What did each counted trial of a cell measure? One row a cell that has any, lists by repetition.
SELECT
    workload,
    server,
    client,
    list(DISTINCT messages ORDER BY messages)          AS messages,
    list(duration_ns / messages ORDER BY repetition)   AS ns_per_message,
    list(cpu_ns / messages ORDER BY repetition)        AS cpu_ns_per_message,
    list(peak_resident_bytes ORDER BY repetition)      AS peak_resident_bytes,
    count_if(disturbance <> '')                        AS disturbed,
    median(server_busy_share)                          AS server_busy_share
FROM (
    SELECT *, CASE WHEN client = 'reference' AND server <> 'reference' THEN 'server' ELSE 'client' END AS measured
    FROM counted_trial
) AS counted_trial
JOIN measurement USING (trial_id)
LEFT JOIN process_total
    ON process_total.trial_id = counted_trial.trial_id AND process = measured
WHERE run_id = $run_id
GROUP BY workload, server, client
ORDER BY workload, server, client;
