-- How much CPU time did each counted measurement take? One row a process, from its beginning to its
-- end: also where it was too short to be looked at.
SELECT
    workload,
    contestant,
    repetition,
    process,
    duration_ns / 1e9    AS duration_s,
    cpu_ns / duration_ns AS cores
FROM counted_trial
JOIN measurement USING (trial_id)
JOIN process_total USING (trial_id)
WHERE run_id = $run_id
ORDER BY workload, contestant, repetition, process;
