-- What did the counted trials of each cell measure? One row a cell that has any, lists by repetition.
SELECT
    workload,
    contestant,
    any_value(messages)                                AS messages,
    list(duration_ns / messages ORDER BY repetition)   AS ns_per_message,
    median(cpu_ns / messages)                          AS client_cpu_ns_per_message,
    median(peak_resident_bytes)                        AS client_peak_resident_bytes
FROM counted_trial
JOIN measurement USING (trial_id)
LEFT JOIN process_total
    ON process_total.trial_id = counted_trial.trial_id AND process = 'client'
WHERE run_id = $run_id
GROUP BY workload, contestant
ORDER BY workload, contestant;
