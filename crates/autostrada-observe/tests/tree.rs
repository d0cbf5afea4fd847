//! Resource usage of a process tree, from simulated readings.

use std::collections::{BTreeMap, BTreeSet};

use autostrada_observe::{Missing, ProcessSample, Source, Tree, TreeSample, Usage};

const ROOT: i32 = 100;

/// Simulated processes, each with a unique number.
#[derive(Default)]
struct SimulatedProcesses {
    processes: BTreeMap<i32, (u64, ProcessSample)>,
    unreadable: BTreeSet<i32>,
    started: u64,
}

impl Source for SimulatedProcesses {
    type Process = (i32, u64);

    fn find(&mut self, pid: i32) -> Result<Self::Process, Missing> {
        if self.unreadable.contains(&pid) {
            return Err(Missing::Unreadable("not allowed".into()));
        }
        let (number, _) = self.processes.get(&pid).ok_or(Missing::Gone)?;
        Ok((pid, *number))
    }

    fn sample(&mut self, (pid, number): &mut Self::Process) -> Result<ProcessSample, Missing> {
        match self.processes.get(pid) {
            Some((same, sampled)) if same == number => Ok(sampled.clone()),
            _ => Err(Missing::Gone),
        }
    }
}

impl SimulatedProcesses {
    /// One process with 100 ns of CPU time and 10 resident bytes.
    fn with_root() -> (Self, Tree<Self>) {
        let mut processes = Self::default();
        processes.start(ROOT, 1);
        (processes, Tree::new(ROOT))
    }

    /// Starts a process with 100 ns of CPU time, 10 resident bytes and a peak of 20.
    fn start(&mut self, pid: i32, parent: i32) {
        let sampled = ProcessSample {
            parent,
            used: Usage {
                cpu_ns: 100,
                ..Usage::default()
            },
            threads: 1,
            files: 3,
            resident_bytes: 10,
            peak_resident_bytes: 20,
            ..ProcessSample::default()
        };
        self.started += 1;
        self.processes.insert(pid, (self.started, sampled));
        if let Some((_, parent)) = self.processes.get_mut(&parent) {
            parent.children.push(pid);
        }
    }

    fn get(&mut self, pid: i32) -> &mut ProcessSample {
        &mut self.processes.get_mut(&pid).unwrap().1
    }

    fn use_cpu(&mut self, pid: i32, cpu_ns: u64) {
        self.get(pid).used.cpu_ns += cpu_ns;
    }

    /// Ends a process: its parent accounts `reaped_ns`, and its children get another parent.
    fn end(&mut self, pid: i32, reaped_ns: u64) {
        let (_, ended) = self.processes.remove(&pid).unwrap();
        if let Some((_, parent)) = self.processes.get_mut(&ended.parent) {
            parent.children.retain(|&child| child != pid);
            parent.reaped.cpu_ns += reaped_ns;
        }
        for child in ended.children {
            self.get(child).parent = 1;
        }
    }
}

fn cpu_ns(sample: &TreeSample) -> u64 {
    sample.metrics.as_ref().unwrap().used.cpu_ns
}

#[test]
fn descendants_count_with_their_ancestor() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.start(101, ROOT);
    processes.start(102, 101);
    processes.start(200, 1);
    let sample = tree.sample(&mut processes);
    assert!(!sample.is_gone);
    let metrics = sample.metrics.unwrap();
    assert_eq!((metrics.used.cpu_ns, metrics.resident_bytes), (300, 30));
    assert_eq!(metrics.peak_resident_bytes, 60);
}

#[test]
fn a_reaped_child_counts_as_last_read_or_as_the_kernel_accounts_it_if_that_is_more() {
    for (reaped_ns, child_ns) in [(0, 100), (90, 100), (490, 490)] {
        let (mut processes, mut tree) = SimulatedProcesses::with_root();
        processes.start(101, ROOT);
        assert_eq!(cpu_ns(&tree.sample(&mut processes)), 200);
        processes.end(101, reaped_ns);
        assert_eq!(cpu_ns(&tree.sample(&mut processes)), 100 + child_ns);
        processes.use_cpu(ROOT, 1);
        assert_eq!(cpu_ns(&tree.sample(&mut processes)), 101 + child_ns);
    }
}

#[test]
fn a_child_that_was_never_sampled_counts_when_it_is_reaped() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    tree.sample(&mut processes);
    processes.start(101, ROOT);
    processes.use_cpu(101, 900);
    processes.end(101, 1_000);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 1_100);
}

#[test]
fn nothing_counts_twice_when_a_family_ends_at_the_same_time() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.start(101, ROOT);
    processes.start(102, 101);
    processes.start(103, 102);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 400);
    processes.end(103, 100);
    processes.end(102, 200);
    processes.end(101, 300);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 400);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 400);
}

#[test]
fn an_orphan_and_its_children_remain_descendants() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.start(101, ROOT);
    processes.start(102, 101);
    tree.sample(&mut processes);
    processes.end(101, 100);
    processes.use_cpu(102, 50);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 350);
    processes.start(103, 102);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 450);
    processes.end(103, 0);
    processes.end(102, 0);
    let sample = tree.sample(&mut processes);
    assert_eq!(cpu_ns(&sample), 450);
    assert_eq!(sample.metrics.unwrap().resident_bytes, 10);
}

#[test]
fn cpu_time_and_peak_never_fall() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.start(101, ROOT);
    processes.end(101, 1_000);
    processes.start(102, ROOT);
    let first = tree.sample(&mut processes).metrics.unwrap();
    assert_eq!(first.used.cpu_ns, 100 + 1_000 + 100);
    // The ticks of one child were lost to rounding; those of the other exceed its last reading.
    processes.end(102, 0);
    let second = tree.sample(&mut processes).metrics.unwrap();
    assert_eq!(second.used.cpu_ns, first.used.cpu_ns);
    assert_eq!(second.peak_resident_bytes, 40);
    assert_eq!(second.resident_bytes, 10);
}

#[test]
fn a_reused_process_id_is_a_different_process() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.start(101, ROOT);
    tree.sample(&mut processes);
    processes.end(101, 100);
    processes.start(101, ROOT);
    processes.use_cpu(101, 7);
    tree.sample(&mut processes);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 100 + 100 + 107);
    processes.end(101, 107);
    // This process has no parent in the tree.
    processes.start(101, 1);
    processes.use_cpu(101, 5_000);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 307);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 307);
}

#[test]
fn a_listed_process_that_is_not_a_child_is_ignored() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.start(300, 1);
    processes.get(ROOT).children.push(300);
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 100);
}

#[test]
fn a_root_that_is_gone_keeps_its_last_metrics() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    tree.sample(&mut processes);
    processes.end(ROOT, 0);
    let sample = tree.sample(&mut processes);
    assert!(sample.is_gone);
    let metrics = sample.metrics.unwrap();
    assert_eq!((metrics.used.cpu_ns, metrics.resident_bytes), (100, 10));
    assert_eq!(metrics.peak_resident_bytes, 20);
}

#[test]
fn a_zombie_root_is_gone_with_its_final_cpu_time() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    tree.sample(&mut processes);
    let root = processes.get(ROOT);
    root.has_ended = true;
    root.used.cpu_ns = 130;
    root.resident_bytes = 0;
    root.peak_resident_bytes = 0;
    let sample = tree.sample(&mut processes);
    assert!(sample.is_gone);
    let metrics = sample.metrics.unwrap();
    assert_eq!((metrics.used.cpu_ns, metrics.resident_bytes), (130, 10));
    assert_eq!(metrics.peak_resident_bytes, 20);
}

#[test]
fn a_root_without_memory_is_about_to_end() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.start(101, ROOT);
    tree.sample(&mut processes);
    processes.get(ROOT).resident_bytes = 0;
    let sample = tree.sample(&mut processes);
    assert!(!sample.is_gone);
    assert_eq!(sample.metrics.unwrap().resident_bytes, 20);
    processes.end(ROOT, 0);
    let metrics = tree.sample(&mut processes).metrics.unwrap();
    assert_eq!(metrics.resident_bytes, 20);
}

#[test]
fn a_root_that_never_existed_has_no_metrics() {
    let sample = Tree::new(ROOT).sample(&mut SimulatedProcesses::default());
    assert!(sample.is_gone);
    let error = sample.metrics.unwrap_err().to_string();
    assert!(error.contains("100"), "{error}");
}

#[test]
fn metrics_are_unknown_while_a_process_cannot_be_read() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.start(101, ROOT);
    processes.unreadable.insert(101);
    let sample = tree.sample(&mut processes);
    assert!(!sample.is_gone);
    let error = sample.metrics.unwrap_err().to_string();
    assert!(
        error.contains("101") && error.contains("not allowed"),
        "{error}"
    );
    processes.unreadable.clear();
    assert_eq!(cpu_ns(&tree.sample(&mut processes)), 200);
}

#[test]
fn an_unreadable_root_is_reported_as_gone_when_it_ends() {
    let (mut processes, mut tree) = SimulatedProcesses::with_root();
    processes.unreadable.insert(ROOT);
    assert!(!tree.sample(&mut processes).is_gone);
    processes.end(ROOT, 0);
    processes.unreadable.clear();
    let sample = tree.sample(&mut processes);
    assert!(sample.is_gone);
    assert!(sample.metrics.is_err());
}
