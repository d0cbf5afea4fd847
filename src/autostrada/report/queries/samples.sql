-- What did each counted trial of a cell measure? One row a cell that has any, lists by repetition.
SELECT
    workload,
    contestant,
    list(DISTINCT messages ORDER BY messages)          AS messages,
    list(duration_ns / messages ORDER BY repetition)   AS ns_per_message,
    list(cpu_ns / messages ORDER BY repetition)        AS cpu_ns_per_message,
    list(peak_resident_bytes ORDER BY repetition)      AS peak_resident_bytes,
    count_if(disturbance <> '')                        AS disturbed,
    median(server_busy_share)                          AS server_busy_share
FROM counted_trial
JOIN measurement USING (trial_id)
LEFT JOIN process_total
    ON process_total.trial_id = counted_trial.trial_id AND process = $role
WHERE run_id = $run_id
GROUP BY workload, contestant
ORDER BY workload, contestant;
