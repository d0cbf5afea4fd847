//! The total usage of a process and its descendants, including descendants that have ended.

use std::collections::{BTreeMap, BTreeSet};

use crate::process::ObserveError;
use crate::source::{Missing, ProcessSample, Reasons, Source};
use crate::usage::Usage;

/// The metrics of a process and its descendants together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Usage since each process started; descendants that have ended are included.
    pub used: Usage,
    /// Resident memory at this instant, in bytes (RSS).
    pub resident_bytes: u64,
    /// Resident memory with shared memory divided among its users, in bytes (PSS), as last read.
    pub proportional_bytes: u64,
    /// Sum of the peak resident memory of each process, in bytes.
    pub peak_resident_bytes: u64,
    /// Number of threads of all processes.
    pub threads: u64,
    /// Number of open files of all processes.
    pub files: u64,
}

/// One sample of a process and its descendants.
#[derive(Debug)]
pub struct TreeSample {
    /// The metrics; an error if one of the processes cannot be read.
    pub metrics: Result<Metrics, ObserveError>,
    /// Missing metrics, by name, with the reason.
    pub missing: Reasons,
    /// Whether the process itself has ended. If so, the metrics are the last known ones, and
    /// further samples are useless.
    pub is_gone: bool,
}

/// Samples a process and its descendants.
///
/// The total usage does not decrease when a descendant ends. If its parent has waited for it, the
/// kernel has added its usage to the parent, with times rounded down to ticks; otherwise its last
/// sample counts. Both are slightly less than the actual usage; the larger one counts. A descendant
/// that loses its parent remains a descendant.
#[derive(Debug)]
pub struct Tree<S: Source> {
    root: i32,
    members: BTreeMap<i32, Member<S::Process>>,
    /// Number of members so far, those that have ended included.
    found: u64,
    /// Number of samples so far.
    samples: u64,
    /// Usage of ended members whose parent is not a member.
    orphaned: Usage,
    /// The last known metrics: usage and peak never decrease.
    last: Option<Metrics>,
}

/// One process of the tree.
#[derive(Debug)]
struct Member<P> {
    process: P,
    /// The position in the order of finding: a parent is found before its children.
    order: u64,
    /// The number of its last sample.
    sample: u64,
    parent: Option<i32>,
    sampled: ProcessSample,
    /// Usage of its ended children, from their last samples.
    inherited: Usage,
}

impl<P> Member<P> {
    /// Returns the usage of the process and its descendants that have ended.
    fn used(&self) -> Usage {
        self.sampled
            .used
            .plus(self.sampled.reaped.max(self.inherited))
    }
}

/// The events of one sample of all processes.
#[derive(Debug, Default)]
struct SampleInProgress {
    gone: BTreeSet<i32>,
    obstacle: Option<ObserveError>,
}

impl<S: Source> Tree<S> {
    /// Creates a tree with the root `pid`, which is not sampled yet.
    pub fn new(pid: i32) -> Self {
        Self {
            root: pid,
            members: BTreeMap::new(),
            found: 0,
            samples: 0,
            orphaned: Usage::default(),
            last: None,
        }
    }

    /// Samples the process and all its descendants.
    pub fn sample(&mut self, source: &mut S) -> TreeSample {
        let mut progress = SampleInProgress::default();
        self.samples += 1;
        self.visit(source, self.root, None, &mut progress);
        // Members that no parent lists any more: the parent has ended, or has just waited for them.
        let is_left = |member: &Member<_>| member.sample != self.samples;
        let left = self.members.iter().filter(|(_, member)| is_left(member));
        let left: Vec<i32> = left.map(|(pid, _)| *pid).collect();
        for pid in left {
            self.visit(source, pid, None, &mut progress);
        }
        let has_ended = |root: &Member<_>| root.sampled.has_ended;
        let is_gone = progress.gone.contains(&self.root)
            || self.members.get(&self.root).is_some_and(has_ended);
        let is_known = self.last.is_some() || self.members.contains_key(&self.root);
        self.remove_gone(&progress.gone);
        let metrics = match progress.obstacle {
            None if is_known => Ok(self.read()),
            None => Err(ObserveError {
                pid: self.root,
                cause: "no such process".into(),
            }),
            Some(obstacle) => self.last.filter(|_| is_gone).ok_or(obstacle),
        };
        TreeSample {
            metrics,
            missing: self.missing(),
            is_gone,
        }
    }

    /// Returns the PIDs of the processes of the last sample.
    pub fn members(&self) -> impl Iterator<Item = i32> {
        self.members.keys().copied()
    }

    /// Samples a process and its descendants, except those that this sample has visited already.
    fn visit(
        &mut self,
        source: &mut S,
        pid: i32,
        parent: Option<i32>,
        progress: &mut SampleInProgress,
    ) {
        let mut waiting = Vec::new();
        let mut next = Some((pid, parent));
        while let Some((pid, parent)) = next {
            if !self.is_visited(pid, progress) {
                match self.sample_one(source, pid, parent) {
                    Ok(()) => {
                        let children = self.members[&pid].sampled.children.iter();
                        waiting.extend(children.map(|&child| (child, Some(pid))));
                    }
                    Err(Missing::Gone) => {
                        progress.gone.insert(pid);
                    }
                    Err(Missing::Unreadable(cause)) => {
                        progress.obstacle.get_or_insert(ObserveError { pid, cause });
                    }
                }
            }
            next = waiting.pop();
        }
    }

    /// Returns whether this sample has visited a process.
    fn is_visited(&self, pid: i32, progress: &SampleInProgress) -> bool {
        let member = self.members.get(&pid);
        member.is_some_and(|member| member.sample == self.samples) || progress.gone.contains(&pid)
    }

    /// Samples one process, and adds it to the members if it is new.
    fn sample_one(&mut self, source: &mut S, pid: i32, parent: Option<i32>) -> Result<(), Missing> {
        if let Some(member) = self.members.get_mut(&pid) {
            member.sample = self.samples;
            member.sampled = source.sample(&mut member.process)?;
            member.parent = parent.or(member.parent);
        } else {
            let mut process = source.find(pid)?;
            let sampled = source.sample(&mut process)?;
            // The PID may have been reused by another process.
            if parent.is_some_and(|parent| parent != sampled.parent) {
                return Err(Missing::Gone);
            }
            let member = Member {
                process,
                order: self.found,
                sample: self.samples,
                parent,
                sampled,
                inherited: Usage::default(),
            };
            self.found += 1;
            self.members.insert(pid, member);
        }
        Ok(())
    }

    /// Removes ended members, children before their parents, and adds their usage to their parents.
    fn remove_gone(&mut self, gone: &BTreeSet<i32>) {
        let mut members: Vec<_> = gone
            .iter()
            .filter_map(|pid| self.members.get(pid).map(|member| (member.order, *pid)))
            .collect();
        members.sort_unstable();
        for (_, pid) in members.into_iter().rev() {
            let Some(member) = self.members.remove(&pid) else {
                continue;
            };
            let parent = member
                .parent
                .and_then(|parent| self.members.get_mut(&parent));
            let inherited = parent.map_or(&mut self.orphaned, |parent| &mut parent.inherited);
            *inherited = inherited.plus(member.used());
        }
        if !gone.is_empty() {
            for member in self.members.values_mut() {
                member.parent = member.parent.filter(|parent| !gone.contains(parent));
            }
        }
    }

    /// Returns the total metrics; usage and peak are never less than before.
    ///
    /// If the root has no memory, because it is ending, the other metrics are the last ones.
    fn read(&mut self) -> Metrics {
        let sum = |metric: fn(&ProcessSample) -> u64| -> u64 {
            self.members
                .values()
                .map(|member| metric(&member.sampled))
                .sum()
        };
        let used: Usage = self.members.values().map(Member::used).sum();
        let mut metrics = Metrics {
            used: used.plus(self.orphaned),
            resident_bytes: sum(|sampled| sampled.resident_bytes),
            proportional_bytes: sum(|sampled| sampled.proportional_bytes),
            peak_resident_bytes: sum(|sampled| sampled.peak_resident_bytes),
            threads: sum(|sampled| sampled.threads),
            files: sum(|sampled| sampled.files),
        };
        let root = self.members.get(&self.root);
        if let Some(last) = self.last {
            let is_ending = root.is_none_or(|root| root.sampled.resident_bytes == 0);
            let current = if is_ending { last } else { metrics };
            metrics = Metrics {
                used: metrics.used.max(last.used),
                peak_resident_bytes: metrics.peak_resident_bytes.max(last.peak_resident_bytes),
                ..current
            };
        }
        self.last = Some(metrics);
        metrics
    }

    /// Returns the missing metrics: a metric that one member lacks is missing in the total.
    fn missing(&self) -> Reasons {
        self.members
            .values()
            .flat_map(|member| &member.sampled.missing)
            .map(|(name, reason)| (*name, reason.clone()))
            .collect()
    }
}
