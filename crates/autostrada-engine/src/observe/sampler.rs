//! Takes one sample of processes, their sockets and the machine.

use std::collections::BTreeMap;

use autostrada_measure::Nanos;
use autostrada_observe::{
    Group, Host, HostMetrics, Kernel, Sockets, SocketsSample, Tree, TreeSample,
};

use super::core_loops::LoopTimer;
use super::missing_reports::MissingReports;
use crate::line::sample::{self, Named, NamedSockets, Sample};
use crate::plan::{ObserveCommand, ObservePlan, PlanError};

const SOCKETS: &str = "sockets";

/// Samples the processes of a plan, their sockets, and the machine.
pub struct Sampler<'a> {
    plan: &'a ObservePlan,
    kernel: Kernel,
    processes: Vec<ObservedProcess<'a>>,
    /// `None` if the plan excludes sockets; an error if the kernel does not provide them.
    sockets: Option<Result<Sockets, String>>,
    host: Option<Host>,
    loops: LoopTimer,
    missing_reports: MissingReports,
}

/// One observed process.
struct ObservedProcess<'a> {
    name: &'a str,
    pid: i32,
    tree: Tree<Kernel>,
    is_gone: bool,
}

/// The kernel's answer about sockets: `None` if the query is too expensive at this sample, an error
/// with the reason if it failed.
type SocketsQuery = Result<Option<SocketsSample>, String>;

/// The metrics that one sample lacks, by path, with the reasons.
type MissingMetrics = BTreeMap<String, String>;

impl<'a> Sampler<'a> {
    /// Creates a sampler for a plan.
    pub fn new(plan: &'a ObservePlan, loops: LoopTimer) -> Self {
        let process = |(name, &pid): (&'a String, &i32)| ObservedProcess {
            name,
            pid,
            tree: Tree::new(pid),
            is_gone: false,
        };
        Self {
            plan,
            kernel: Kernel::new(),
            processes: plan.processes.iter().map(process).collect(),
            sockets: plan.sockets.then(Sockets::open),
            host: plan.host.then(|| {
                let pids: Vec<i32> = plan.processes.values().copied().collect();
                Host::new(&pids)
            }),
            loops,
            missing_reports: MissingReports::default(),
        }
    }

    /// Takes a sample; a process that has ended is not sampled again.
    pub fn sample(&mut self, at_ns: Nanos) -> Sample<'a> {
        self.processes.retain(|process| !process.is_gone);
        self.kernel.begin(at_ns);
        let queried = self.query_sockets(at_ns);
        let mut missing = MissingMetrics::new();
        let mut processes = Vec::new();
        let mut groups = Vec::new();
        for process in &mut self.processes {
            let sample = process.tree.sample(&mut self.kernel);
            process.is_gone = sample.is_gone;
            groups.extend(process.group(&sample));
            if let Some(metrics) = process.metrics(sample, &mut missing) {
                processes.push((process.name, metrics));
            }
        }
        let (sockets, has_sampled_sockets) =
            self.sample_sockets(at_ns, queried, &groups, &mut missing);
        let host = self
            .host
            .as_ref()
            .and_then(|host| sample_one(host, &mut missing));
        let is_sampled = |name: &str| has_sampled_sockets || !name.starts_with(SOCKETS);
        Sample {
            at_ns,
            processes: Named(processes),
            sockets,
            host,
            loops: self.loops.sums(),
            missing: self.missing_reports.newly_missing(missing, is_sampled),
        }
    }

    /// Queries the kernel for the known sockets; `None` if the plan excludes sockets.
    fn query_sockets(&mut self, at_ns: Nanos) -> Option<SocketsQuery> {
        let queried = match self.sockets.as_mut()? {
            Ok(sockets) => {
                sockets.begin(at_ns);
                sockets.query()
            }
            Err(reason) => Err(reason.clone()),
        };
        Some(queried)
    }

    /// Returns the metrics of sockets, and whether this sample tried to read them.
    ///
    /// If new sockets are found after the query, queries again.
    fn sample_sockets(
        &mut self,
        at_ns: Nanos,
        queried: Option<SocketsQuery>,
        groups: &[Group<'_>],
        missing: &mut MissingMetrics,
    ) -> (Option<NamedSockets>, bool) {
        let (Some(queried), Some(sockets)) = (queried, &mut self.sockets) else {
            return (None, true);
        };
        let sampled = match sockets {
            Ok(sockets) => queried.and_then(|queried| {
                if sockets.count(at_ns, groups)? {
                    sockets.query()
                } else {
                    Ok(queried)
                }
            }),
            Err(reason) => Err(reason.clone()),
        };
        match sampled {
            Ok(None) => (None, false),
            Ok(Some(sampled)) => {
                let named = |(name, reason)| (format!("{SOCKETS}.{name}"), reason);
                missing.extend(sampled.missing.into_iter().map(named));
                let metrics = sampled.metrics.into_iter();
                (Some(Named(metrics.collect())), true)
            }
            Err(reason) => {
                missing.insert(SOCKETS.into(), reason);
                (None, true)
            }
        }
    }

    /// Executes a command: samples the socket of a reported connection, and the one at its other end
    /// if that can only be of the only other process.
    /// Returns an error if the plan has no such process.
    pub fn execute(&mut self, command: ObserveCommand) -> Result<(), PlanError> {
        let ObserveCommand::Connection(connection) = command;
        let is_own = |(_, pid): &(&String, &i32)| **pid == connection.pid;
        let (own, others): (Vec<_>, Vec<_>) = self.plan.processes.iter().partition(is_own);
        if own.is_empty() {
            return Err(PlanError::new(format!(
                "stdin: connection: the plan has no process with pid {}",
                connection.pid
            )));
        }
        let Some(Ok(sockets)) = &mut self.sockets else {
            return Ok(());
        };
        for (name, _) in own {
            sockets.report(name, connection.local, connection.peer);
        }
        if let [(name, _)] = others[..] {
            sockets.report(name, connection.peer, connection.local);
        }
        Ok(())
    }

    /// Returns whether all processes have ended.
    pub fn is_over(&self) -> bool {
        self.processes.iter().all(|process| process.is_gone)
    }

    /// Returns an error that names a process that has ended; `None` if all are running.
    pub fn absent_process(&self) -> Option<PlanError> {
        let absent = self.processes.iter().find(|process| process.is_gone)?;
        Some(PlanError::new(format!(
            "processes: {:?} is {}, but this user can read no running process with this \
             identifier: name a running process",
            absent.name, absent.pid
        )))
    }
}

impl<'a> ObservedProcess<'a> {
    /// Returns the group whose sockets are sampled; `None` if the process has ended or cannot be
    /// read.
    fn group(&self, sample: &TreeSample) -> Option<Group<'a>> {
        let metrics = sample.metrics.as_ref().ok().filter(|_| !sample.is_gone)?;
        Some(Group {
            name: self.name,
            members: self.tree.members().collect(),
            files: (!sample.missing.contains_key("files")).then_some(metrics.files),
            cpu_ns: metrics.used.cpu_ns,
        })
    }

    fn metrics(
        &self,
        sample: TreeSample,
        missing: &mut MissingMetrics,
    ) -> Option<sample::ProcessMetrics> {
        let path = format!("processes.{}", self.name);
        match sample.metrics {
            Ok(metrics) => {
                let process =
                    sample::ProcessMetrics::new(&metrics, &sample.missing, sample.is_gone);
                let named = |(name, reason)| (format!("{path}.{name}"), reason);
                missing.extend(sample.missing.into_iter().map(named));
                Some(process)
            }
            Err(reason) => {
                missing.insert(path, reason.to_string());
                None
            }
        }
    }
}

fn sample_one(host: &Host, missing: &mut MissingMetrics) -> Option<HostMetrics> {
    let mut metrics = host.sample();
    let absent = std::mem::take(&mut metrics.missing);
    if let Some(reason) = absent.get("cores") {
        missing.insert("host".into(), reason.clone());
        return None;
    }
    let named = |(name, reason)| (format!("host.{name}"), reason);
    missing.extend(absent.into_iter().map(named));
    Some(metrics)
}
