//! Samples processes, their sockets and the machine, one right after the other.

use std::collections::BTreeMap;

use autostrada_measure::Nanos;
use autostrada_observe::{
    Group, Host, HostFigures, Kernel, Sockets, SocketsSample, Tree, TreeSample,
};

use super::line::{self, Named, NamedSockets, Sample};
use super::reported::Reported;
use crate::plan::{ObservePlan, PlanError};

const SOCKETS: &str = "sockets";

/// All that is watched.
pub struct Sampler<'a> {
    kernel: Kernel,
    watched: Vec<Watched<'a>>,
    /// `None` where the plan leaves them out; else the way to them, or why there is none.
    sockets: Option<Result<Sockets, String>>,
    host: Option<Host>,
    reported: Reported,
}

/// One process that is watched.
struct Watched<'a> {
    name: &'a str,
    pid: i32,
    tree: Tree<Kernel>,
    is_gone: bool,
}

/// What the kernel says of sockets: nothing where that would be too expensive by now, or why not.
type Asked = Result<Option<SocketsSample>, String>;

/// What one sample lacks, by name, and why.
type Lacks = BTreeMap<String, String>;

impl<'a> Sampler<'a> {
    /// Begins with what a plan names.
    pub fn new(plan: &'a ObservePlan) -> Self {
        let watched = |(name, &pid): (&'a String, &i32)| Watched {
            name,
            pid,
            tree: Tree::new(pid),
            is_gone: false,
        };
        Self {
            kernel: Kernel::new(),
            watched: plan.processes.iter().map(watched).collect(),
            sockets: plan.sockets.then(Sockets::open),
            host: plan.host.then(Host::new),
            reported: Reported::default(),
        }
    }

    /// Samples everything; who is gone is not sampled again.
    pub fn sample(&mut self, at_ns: Nanos) -> Sample<'a> {
        self.watched.retain(|watched| !watched.is_gone);
        self.kernel.begin(at_ns);
        let asked = self.ask_for_sockets(at_ns);
        let mut lacks = Lacks::new();
        let mut processes = Vec::new();
        let mut groups = Vec::new();
        for watched in &mut self.watched {
            let sample = watched.tree.sample(&mut self.kernel);
            watched.is_gone = sample.is_gone;
            groups.extend(watched.group(&sample));
            if let Some(process) = watched.process(sample, &mut lacks) {
                processes.push((watched.name, process));
            }
        }
        let (sockets, is_at_sockets) = self.sample_sockets(at_ns, asked, &groups, &mut lacks);
        let host = self
            .host
            .as_ref()
            .and_then(|host| sample_one(host, &mut lacks));
        let is_sampled = |name: &str| is_at_sockets || !name.starts_with(SOCKETS);
        Sample {
            at_ns,
            processes: Named(processes),
            sockets,
            host,
            missing: self.reported.news(lacks, is_sampled),
        }
    }

    /// What the kernel says of the sockets that are known; `None` where none are sampled.
    fn ask_for_sockets(&mut self, at_ns: Nanos) -> Option<Asked> {
        let asked = match self.sockets.as_mut()? {
            Ok(sockets) => {
                sockets.begin(at_ns);
                sockets.ask()
            }
            Err(why) => Err(why.clone()),
        };
        Some(asked)
    }

    /// The figures of sockets, and whether the sample has any.
    ///
    /// Where others are found than those that were asked for, they are asked for as well.
    fn sample_sockets(
        &mut self,
        at_ns: Nanos,
        asked: Option<Asked>,
        groups: &[Group<'_>],
        lacks: &mut Lacks,
    ) -> (Option<NamedSockets>, bool) {
        let (Some(asked), Some(sockets)) = (asked, &mut self.sockets) else {
            return (None, true);
        };
        let sampled = match sockets {
            Ok(sockets) => asked.and_then(|asked| {
                if sockets.count(at_ns, groups)? {
                    sockets.ask()
                } else {
                    Ok(asked)
                }
            }),
            Err(why) => Err(why.clone()),
        };
        match sampled {
            Ok(None) => (None, false),
            Ok(Some(sampled)) => {
                let named = |(name, why)| (format!("{SOCKETS}.{name}"), why);
                lacks.extend(sampled.missing.into_iter().map(named));
                let figures = sampled.figures.into_iter();
                (Some(Named(figures.collect())), true)
            }
            Err(why) => {
                lacks.insert(SOCKETS.into(), why);
                (None, true)
            }
        }
    }

    /// Whether no process is left.
    pub fn is_over(&self) -> bool {
        self.watched.iter().all(|watched| watched.is_gone)
    }

    /// Why not all can be watched, where one is gone.
    pub fn refusal(&self) -> Option<PlanError> {
        let absent = self.watched.iter().find(|watched| watched.is_gone)?;
        Some(PlanError::new(format!(
            "processes: {:?} is {}, and no such process runs that this user may see: \
             name one that does",
            absent.name, absent.pid
        )))
    }
}

impl<'a> Watched<'a> {
    /// Whose sockets are sampled, where a process is left that has some.
    fn group(&self, sample: &TreeSample) -> Option<Group<'a>> {
        let figures = sample.figures.as_ref().ok().filter(|_| !sample.is_gone)?;
        Some(Group {
            name: self.name,
            members: self.tree.members().collect(),
            files: (!sample.missing.contains_key("files")).then_some(figures.files),
            cpu_ns: figures.used.cpu_ns,
        })
    }

    fn process(&self, sample: TreeSample, lacks: &mut Lacks) -> Option<line::Process> {
        let path = format!("processes.{}", self.name);
        match sample.figures {
            Ok(figures) => {
                let process = line::Process::new(&figures, &sample.missing, sample.is_gone);
                let named = |(name, why)| (format!("{path}.{name}"), why);
                lacks.extend(sample.missing.into_iter().map(named));
                Some(process)
            }
            Err(why) => {
                lacks.insert(path, why.to_string());
                None
            }
        }
    }
}

fn sample_one(host: &Host, lacks: &mut Lacks) -> Option<HostFigures> {
    let mut figures = host.sample();
    let missing = std::mem::take(&mut figures.missing);
    if let Some(why) = missing.get("cores") {
        lacks.insert("host".into(), why.clone());
        return None;
    }
    let named = |(name, why)| (format!("host.{name}"), why);
    lacks.extend(missing.into_iter().map(named));
    Some(figures)
}
