//! A process and its descendants as one: what they use together, also those that have ended.

use std::collections::{BTreeMap, BTreeSet};

use crate::process::ObserveError;
use crate::source::{Missing, ProcessSample, Reasons, Source};
use crate::usage::Usage;

/// What a process and its descendants have used, and have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Since each process started, those that have ended included.
    pub used: Usage,
    /// Resident memory at this instant.
    pub resident_bytes: u64,
    /// The same, of which what is shared counts in parts: as it was last read.
    pub proportional_bytes: u64,
    /// The sum of each process's highest resident memory so far.
    pub peak_resident_bytes: u64,
    /// Threads of all of them.
    pub threads: u64,
    /// Open files of all of them.
    pub files: u64,
}

/// One sample of a process and its descendants.
#[derive(Debug)]
pub struct TreeSample {
    /// What they use; an error where one of them cannot be read.
    pub figures: Result<Figures, ObserveError>,
    /// Which of the figures say nothing, by name, and why.
    pub missing: Reasons,
    /// The process itself has ended. Then the figures are the last that are known, and there is
    /// nothing more to sample.
    pub is_gone: bool,
}

/// A process and its descendants, sampled again and again.
///
/// What was used does not fall when a descendant ends. Its parent has waited for it, and the kernel
/// has added to the parent what it used, times rounded down to ticks; or it has not, and what was
/// read last is kept. Both are less than what was used, by little, and the larger one counts. Who
/// loses its parent remains a descendant.
#[derive(Debug)]
pub struct Tree<S: Source> {
    root: i32,
    members: BTreeMap<i32, Member<S::Process>>,
    /// How many have ever been members.
    found: u64,
    /// How often all were sampled.
    samples: u64,
    /// What those used that ended without a parent here.
    orphaned: Usage,
    /// The last figures that are known: neither what was used nor the peak falls.
    last: Option<Figures>,
}

/// One process of the tree.
#[derive(Debug)]
struct Member<P> {
    process: P,
    /// A parent is found before its children.
    order: u64,
    /// The last sample of it.
    sample: u64,
    parent: Option<i32>,
    sampled: ProcessSample,
    /// What its children used that ended, as far as it was read.
    kept: Usage,
}

impl<P> Member<P> {
    /// What it has used, and its descendants that have ended.
    fn used(&self) -> Usage {
        self.sampled.used.plus(self.sampled.reaped.max(self.kept))
    }
}

/// What one sample of all comes to.
#[derive(Debug, Default)]
struct Round {
    gone: BTreeSet<i32>,
    obstacle: Option<ObserveError>,
}

impl<S: Source> Tree<S> {
    /// Begins with the process `pid`, which is not sampled yet.
    #[must_use]
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
        let mut round = Round::default();
        self.samples += 1;
        self.visit(source, self.root, None, &mut round);
        // Whom no parent names any more: its parent has ended, or has just waited for it.
        let is_left = |member: &Member<_>| member.sample != self.samples;
        let left = self.members.iter().filter(|(_, member)| is_left(member));
        let left: Vec<i32> = left.map(|(pid, _)| *pid).collect();
        for pid in left {
            self.visit(source, pid, None, &mut round);
        }
        let has_ended = |root: &Member<_>| root.sampled.has_ended;
        let is_gone =
            round.gone.contains(&self.root) || self.members.get(&self.root).is_some_and(has_ended);
        let is_known = self.last.is_some() || self.members.contains_key(&self.root);
        self.settle(&round.gone);
        let figures = match round.obstacle {
            None if is_known => Ok(self.read()),
            None => Err(ObserveError::new(self.root, "there is none".into())),
            Some(obstacle) => self.last.filter(|_| is_gone).ok_or(obstacle),
        };
        TreeSample {
            figures,
            missing: self.missing(),
            is_gone,
        }
    }

    /// The identifiers of the processes that were there at the last sample.
    pub fn members(&self) -> impl Iterator<Item = i32> {
        self.members.keys().copied()
    }

    /// Samples a process and those of its descendants that have not been sampled.
    fn visit(&mut self, source: &mut S, pid: i32, parent: Option<i32>, round: &mut Round) {
        let mut waiting = Vec::new();
        let mut next = Some((pid, parent));
        while let Some((pid, parent)) = next {
            if !self.is_visited(pid, round) {
                match self.sample_one(source, pid, parent) {
                    Ok(()) => {
                        let children = self.members[&pid].sampled.children.iter();
                        waiting.extend(children.map(|&child| (child, Some(pid))));
                    }
                    Err(Missing::Gone) => {
                        round.gone.insert(pid);
                    }
                    Err(Missing::Unreadable(cause)) => {
                        let obstacle = ObserveError::new(pid, cause);
                        round.obstacle.get_or_insert(obstacle);
                    }
                }
            }
            next = waiting.pop();
        }
    }

    /// Whether a process has had its turn in this sample.
    fn is_visited(&self, pid: i32, round: &Round) -> bool {
        let member = self.members.get(&pid);
        member.is_some_and(|member| member.sample == self.samples) || round.gone.contains(&pid)
    }

    /// Samples one process, which may be new here.
    fn sample_one(&mut self, source: &mut S, pid: i32, parent: Option<i32>) -> Result<(), Missing> {
        if let Some(member) = self.members.get_mut(&pid) {
            member.sample = self.samples;
            member.sampled = source.sample(&mut member.process)?;
            member.parent = parent.or(member.parent);
        } else {
            let mut process = source.find(pid)?;
            let sampled = source.sample(&mut process)?;
            // The identifier may be another process's by now.
            if parent.is_some_and(|parent| parent != sampled.parent) {
                return Err(Missing::Gone);
            }
            let member = Member {
                process,
                order: self.found,
                sample: self.samples,
                parent,
                sampled,
                kept: Usage::default(),
            };
            self.found += 1;
            self.members.insert(pid, member);
        }
        Ok(())
    }

    /// Keeps what members have used that are gone, children before their parents.
    fn settle(&mut self, gone: &BTreeSet<i32>) {
        let mut members: Vec<_> = gone
            .iter()
            .filter_map(|pid| self.members.get(pid).map(|member| (member.order, *pid)))
            .collect();
        members.sort_unstable();
        for (_, pid) in members.into_iter().rev() {
            let Some(member) = self.members.remove(&pid) else {
                continue;
            };
            let heir = member
                .parent
                .and_then(|parent| self.members.get_mut(&parent));
            let kept = heir.map_or(&mut self.orphaned, |heir| &mut heir.kept);
            *kept = kept.plus(member.used());
        }
        if !gone.is_empty() {
            for member in self.members.values_mut() {
                member.parent = member.parent.filter(|parent| !gone.contains(parent));
            }
        }
    }

    /// The figures of all: what was used and the peak never less than before, the rest the last
    /// one where the root has no memory any more, as it is about to end.
    fn read(&mut self) -> Figures {
        let sum = |figure: fn(&ProcessSample) -> u64| -> u64 {
            self.members
                .values()
                .map(|member| figure(&member.sampled))
                .sum()
        };
        let used: Usage = self.members.values().map(Member::used).sum();
        let mut figures = Figures {
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
            let current = if is_ending { last } else { figures };
            figures = Figures {
                used: figures.used.max(last.used),
                peak_resident_bytes: figures.peak_resident_bytes.max(last.peak_resident_bytes),
                ..current
            };
        }
        self.last = Some(figures);
        figures
    }

    /// What is not known of one of them is not known of all together.
    fn missing(&self) -> Reasons {
        self.members
            .values()
            .flat_map(|member| &member.sampled.missing)
            .map(|(name, why)| (*name, why.clone()))
            .collect()
    }
}
