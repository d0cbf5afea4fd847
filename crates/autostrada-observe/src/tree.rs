//! A process and its descendants as one: what they use together, whoever of them ends.

use std::collections::{BTreeMap, BTreeSet};

use crate::process::{ObserveError, Reading};
use crate::source::{Missing, Seen, Source};

/// One look at a process and its descendants.
#[derive(Debug)]
pub struct Sample {
    /// What they use; an error where one of them cannot be read.
    pub reading: Result<Reading, ObserveError>,
    /// The process itself has ended. Then the figures are the last that are known, and there is
    /// nothing more to look at.
    pub is_gone: bool,
}

/// A process and its descendants, looked at again and again.
///
/// CPU time does not fall when a descendant ends. Its parent has waited for it, and the kernel has
/// added to the parent what it used, rounded down to ticks; or it has not, and what was read last
/// is kept. Both are less than what was used, by little, and the larger one counts. Who loses its
/// parent remains a descendant.
#[derive(Debug)]
pub struct Tree<S: Source> {
    source: S,
    root: i32,
    members: BTreeMap<i32, Member<S::Process>>,
    /// How many have ever been members.
    found: u64,
    /// What those used that ended without a parent here.
    orphaned_ns: u64,
    /// The last figures that are known: neither CPU time nor peak falls.
    last: Option<Reading>,
}

/// One process of the tree.
#[derive(Debug)]
struct Member<P> {
    process: P,
    /// A parent is found before its children.
    order: u64,
    parent: Option<i32>,
    seen: Seen,
    /// What its children used that ended, as far as it was read.
    kept_ns: u64,
}

impl<P> Member<P> {
    /// Its own CPU time, and that of its descendants that have ended.
    fn cpu_ns(&self) -> u64 {
        self.seen.cpu_ns + self.seen.reaped_ns.max(self.kept_ns)
    }
}

/// What one look at all comes to.
#[derive(Debug, Default)]
struct Round {
    visited: BTreeSet<i32>,
    gone: BTreeSet<i32>,
    obstacle: Option<ObserveError>,
}

impl<S: Source> Tree<S> {
    /// Begins with the process `pid`, at which it does not look yet.
    pub fn new(source: S, pid: i32) -> Self {
        Self {
            source,
            root: pid,
            members: BTreeMap::new(),
            found: 0,
            orphaned_ns: 0,
            last: None,
        }
    }

    /// Looks at the process and at all its descendants.
    pub fn look(&mut self) -> Sample {
        let mut round = Round::default();
        self.visit(self.root, None, &mut round);
        // Whom no parent names any more: its parent has ended, or has just waited for it.
        let members: Vec<i32> = self.members.keys().copied().collect();
        for pid in members {
            self.visit(pid, None, &mut round);
        }
        let has_ended = |root: &Member<_>| root.seen.has_ended;
        let is_gone =
            round.gone.contains(&self.root) || self.members.get(&self.root).is_some_and(has_ended);
        let is_known = self.last.is_some() || self.members.contains_key(&self.root);
        self.settle(&round.gone);
        let reading = match round.obstacle {
            None if is_known => Ok(self.read()),
            None => Err(ObserveError::new(self.root, "there is none".into())),
            Some(obstacle) => self.last.filter(|_| is_gone).ok_or(obstacle),
        };
        Sample { reading, is_gone }
    }

    /// Looks at a process and at those of its descendants that have not been looked at.
    fn visit(&mut self, pid: i32, parent: Option<i32>, round: &mut Round) {
        let mut waiting = vec![(pid, parent)];
        while let Some((pid, parent)) = waiting.pop() {
            if !round.visited.insert(pid) {
                continue;
            }
            match self.look_at(pid, parent) {
                Ok(()) => {
                    let children = self.members[&pid].seen.children.iter();
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
    }

    /// Looks at one process, which may be new here.
    fn look_at(&mut self, pid: i32, parent: Option<i32>) -> Result<(), Missing> {
        if let Some(member) = self.members.get_mut(&pid) {
            member.seen = self.source.look(&mut member.process)?;
            member.parent = parent.or(member.parent);
        } else {
            let mut process = self.source.find(pid)?;
            let seen = self.source.look(&mut process)?;
            // The identifier may be another process's by now.
            if parent.is_some_and(|parent| parent != seen.parent) {
                return Err(Missing::Gone);
            }
            let member = Member {
                process,
                order: self.found,
                parent,
                seen,
                kept_ns: 0,
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
            let kept_ns = heir.map_or(&mut self.orphaned_ns, |heir| &mut heir.kept_ns);
            *kept_ns += member.cpu_ns();
        }
        if !gone.is_empty() {
            for member in self.members.values_mut() {
                member.parent = member.parent.filter(|parent| !gone.contains(parent));
            }
        }
    }

    /// The figures of all: CPU time and peak never less than before, memory the last one where
    /// the root has none any more, as it is about to end.
    fn read(&mut self) -> Reading {
        let sum = |figure: fn(&Seen) -> u64| -> u64 {
            self.members
                .values()
                .map(|member| figure(&member.seen))
                .sum()
        };
        let cpu_ns = self.members.values().map(Member::cpu_ns).sum::<u64>() + self.orphaned_ns;
        let mut reading = Reading {
            cpu_ns,
            resident_bytes: sum(|seen| seen.resident_bytes),
            peak_resident_bytes: sum(|seen| seen.peak_resident_bytes),
        };
        let root = self.members.get(&self.root);
        if let Some(last) = self.last {
            reading.cpu_ns = reading.cpu_ns.max(last.cpu_ns);
            reading.peak_resident_bytes = reading.peak_resident_bytes.max(last.peak_resident_bytes);
            if root.is_none_or(|root| root.seen.resident_bytes == 0) {
                reading.resident_bytes = last.resident_bytes;
            }
        }
        self.last = Some(reading);
        reading
    }
}
