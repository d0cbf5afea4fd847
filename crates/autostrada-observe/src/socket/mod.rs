//! What the kernel knows of the TCP connections of processes: `sock_diag(7)`.
//!
//! Counting all sockets costs the kernel about a microsecond each, finding who has one several, and
//! asking for one with all its figures again one. Therefore all are counted only where files were
//! opened or closed; of many files some are examined, and at most some hundred sockets are asked
//! for; and all of that waits where it would take too large a share of a core.

mod channel;
mod figures;
mod message;
mod owner;
mod subset;
mod tcp_info;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

pub use figures::{SocketCounters, SocketFigures};
pub use tcp_info::TcpInfo;

use crate::allowance::Allowance;
use channel::{Channel, Found};
use message::Address;
use owner::{Links, Network, Table};
use subset::{ConnectionSet, Round, Subset};

/// For counting sockets and finding who has them: parts in ten thousand of a core.
const COUNTING_SHARE: u16 = 20;
/// For asking for the figures of single ones.
const ASKING_SHARE: u16 = 20;
/// How often sockets are counted although no file was opened or closed.
const COUNTING_EVERY_NS: u64 = 1_000_000_000;
/// More files than so many are counted when their number stands still, and wait so long for that.
///
/// Of more, one in so many is examined that they are about as many as `LINKS`.
const FILES_FEW: u64 = 2_000;
const LINKS: u64 = 1_000;
const CALM_WITHIN_NS: u64 = 5_000_000_000;
/// So many sockets of one process are sampled, and of all together.
const SAMPLED_MAX: usize = 256;
const SAMPLED_MAX_TOGETHER: usize = 512;

/// Processes whose sockets are sampled together.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// By which its figures are found.
    pub name: &'a str,
    /// The identifiers of all of them.
    pub members: Vec<i32>,
    /// How many files they have open; `None` where that is not known.
    pub files: Option<u64>,
    /// CPU time that they have used: who has used none has opened no file.
    pub cpu_ns: u64,
}

/// What one sample of the sockets finds.
#[derive(Debug, Default)]
pub struct SocketsSample {
    /// By name of the group, in the order of names; none of a group of which nothing is known.
    pub figures: Vec<(Arc<str>, SocketFigures)>,
    /// What is not known, by the name of a group or of a figure of it, and why.
    pub missing: BTreeMap<String, String>,
}

/// The connections of groups of processes, sampled again and again.
#[derive(Debug)]
pub struct Sockets {
    channel: Channel,
    counting: Allowance,
    asking: Allowance,
    owners: BTreeMap<Arc<str>, Owner>,
    counted_ns: Option<u64>,
    /// How many files all groups had at the last sample.
    files: u64,
    /// Sockets have come or gone when they were last counted: some may not be connected yet.
    is_unsettled: bool,
}

/// What is known of the sockets of one group.
#[derive(Debug, Default)]
struct Owner {
    /// The files, and the CPU time, when its inodes were read.
    read_at: Option<(Option<u64>, u64)>,
    /// Of its files one in `every` was examined.
    links: Links,
    files: u64,
    every: u64,
    /// Why its sockets are not known, or not accessible.
    obstacle: Option<Obstacle>,
    subset: Subset,
}

#[derive(Debug, Clone)]
enum Obstacle {
    Unreadable(String),
    AnotherNetwork,
}

impl Sockets {
    /// Opens the way to the kernel.
    ///
    /// # Errors
    ///
    /// When there is none: why, in words.
    pub fn open() -> Result<Self, String> {
        Ok(Self {
            channel: Channel::open()?,
            counting: Allowance::new(COUNTING_SHARE),
            asking: Allowance::new(ASKING_SHARE),
            owners: BTreeMap::new(),
            counted_ns: None,
            files: 0,
            is_unsettled: false,
        })
    }

    /// Begins a sample.
    pub fn begin(&mut self, now_ns: u64) {
        self.counting.fill(now_ns);
        self.asking.fill(now_ns);
    }

    /// Asks for the connections that are known; `None` where none were counted yet, or that would
    /// be too expensive by now.
    ///
    /// It is what a sample begins with: all that comes later may delay processes that share the core, and
    /// what is sent when that is over would be found in queues as if it always lay there.
    ///
    /// # Errors
    ///
    /// When the kernel does not tell: why, in words.
    pub fn ask(&mut self) -> Result<Option<SocketsSample>, String> {
        if self.counted_ns.is_none() || !self.asking.is_left() {
            return Ok(None);
        }
        let Self {
            asking,
            channel,
            owners,
            ..
        } = self;
        asking.pay_for(|| ask(channel, owners)).map(Some)
    }

    /// Counts the connections of all groups, where they may be others than are known and that is
    /// not too expensive by now; returns whether they are others.
    ///
    /// # Errors
    ///
    /// When the kernel does not tell: why, in words.
    pub fn count(&mut self, now_ns: u64, groups: &[Group<'_>]) -> Result<bool, String> {
        let is_due = self.is_counting_due(now_ns, groups);
        if !is_due || !self.counting.is_left() {
            return Ok(false);
        }
        let Self {
            counting,
            channel,
            owners,
            ..
        } = self;
        self.is_unsettled = counting.pay_for(|| count(channel, owners, groups))?;
        let is_first = self.counted_ns.replace(now_ns).is_none();
        Ok(is_first || self.is_unsettled)
    }

    /// Whether there may be others than were counted. Connections that come in large numbers are
    /// counted when all have come, as counting is too expensive to be repeated.
    fn is_counting_due(&mut self, now_ns: u64, groups: &[Group<'_>]) -> bool {
        let files = groups.iter().filter_map(|group| group.files).sum();
        let before = std::mem::replace(&mut self.files, files);
        let age_ns = self
            .counted_ns
            .map_or(u64::MAX, |counted_ns| now_ns.saturating_sub(counted_ns));
        let is_calm = files <= FILES_FEW || files == before || age_ns >= CALM_WITHIN_NS;
        let has_changed = |group: &Group<'_>| {
            let owner = self.owners.get(group.name);
            owner
                .and_then(|owner| owner.read_at)
                .map(|(files, _)| files)
                != Some(group.files)
        };
        let is_other = self.is_unsettled || groups.iter().any(has_changed);
        is_calm && (is_other || age_ns >= COUNTING_EVERY_NS)
    }
}

/// Finds all connections of all groups, and chooses those to ask for; returns whether some have
/// come or gone.
fn count(
    channel: &mut Channel,
    owners: &mut BTreeMap<Arc<str>, Owner>,
    groups: &[Group<'_>],
) -> Result<bool, String> {
    let names: HashSet<&str> = groups.iter().map(|group| group.name).collect();
    owners.retain(|name, _| names.contains(&**name));
    let mut has_changed = false;
    let mut names_by_inode: HashMap<u32, Vec<usize>> = HashMap::new();
    for (place, group) in groups.iter().enumerate() {
        let owner = owners.entry(group.name.into()).or_default();
        has_changed |= owner.read(group);
        for inode in &owner.links.inodes {
            names_by_inode.entry(*inode).or_default().push(place);
        }
    }
    let mut addresses: Vec<Vec<Address>> = vec![Vec::new(); groups.len()];
    if !names_by_inode.is_empty() {
        channel.list_all(|described| {
            for place in names_by_inode.get(&described.inode).into_iter().flatten() {
                addresses[*place].push(described.address);
            }
        })?;
    }
    let sampled_max = SAMPLED_MAX
        .min(SAMPLED_MAX_TOGETHER / groups.len().max(1))
        .max(1);
    for (group, addresses) in groups.iter().zip(addresses) {
        let owner = owners.entry(group.name.into()).or_default();
        let connection_set = owner.connection_set(addresses);
        has_changed |= owner.subset.connections() != connection_set.connections;
        owner.subset.choose(connection_set, sampled_max);
    }
    Ok(has_changed)
}

/// Asks for all that are sampled.
fn ask(
    channel: &mut Channel,
    owners: &mut BTreeMap<Arc<str>, Owner>,
) -> Result<SocketsSample, String> {
    let mut sampled = SocketsSample::default();
    for (name, owner) in owners {
        if let Some(obstacle) = &owner.obstacle {
            let (missing, why) = obstacle.reason(name);
            sampled.missing.insert(missing, why);
        }
        if matches!(owner.obstacle, Some(Obstacle::Unreadable(_))) {
            continue;
        }
        let addresses: Vec<_> = owner.subset.addresses().collect();
        let mut round = Round::default();
        let mut is_complete = true;
        channel.ask(&addresses, |place, found| match found {
            Found::Here(described) => is_complete &= owner.subset.take(&described, &mut round),
            Found::Gone => owner.subset.end(&addresses[place]),
            Found::Unknown => {}
        })?;
        if !is_complete {
            return Err("the kernel's tcp_info ends before what Linux 4.10 tells".into());
        }
        let figures = owner.subset.finish(round);
        sampled.figures.push((Arc::clone(name), figures));
    }
    Ok(sampled)
}

impl Owner {
    /// Reads which sockets a group has, where it can have changed; returns whether it has.
    fn read(&mut self, group: &Group<'_>) -> bool {
        let stamp = Some((group.files, group.cpu_ns));
        if self.read_at == stamp && group.files.is_some() {
            return false;
        }
        self.obstacle = None;
        let tables = self.tables(group);
        self.files = tables.iter().map(|table| table.files).sum();
        self.every = match self.files {
            0..=FILES_FEW => 1,
            many => many.div_ceil(LINKS),
        };
        let mut links = Links::default();
        for table in tables {
            if let Err(why) = table.read(self.every, &mut links) {
                self.obstacle = Some(Obstacle::Unreadable(why));
            }
        }
        self.read_at = stamp;
        let has_changed = self.links.inodes != links.inodes;
        self.links = links;
        has_changed
    }

    fn tables(&mut self, group: &Group<'_>) -> Vec<Table> {
        let mut all = Vec::new();
        for pid in &group.members {
            match owner::tables(*pid) {
                Ok((tables, network)) => {
                    all.extend(tables);
                    if network == Network::Another {
                        self.obstacle = Some(Obstacle::AnotherNetwork);
                    }
                }
                Err(why) => self.obstacle = Some(Obstacle::Unreadable(why)),
            }
        }
        all
    }

    /// What the connections that were found say of all: as many of the files that were not examined
    /// at are connections as of those that were.
    fn connection_set(&self, addresses: Vec<Address>) -> ConnectionSet {
        let found = addresses.len() as u64;
        let connections = if self.every > 1 {
            (found * self.files + self.links.examined / 2) / self.links.examined.max(1)
        } else {
            found
        };
        ConnectionSet {
            addresses,
            every: self.every,
            connections,
        }
    }
}

impl Obstacle {
    /// What is not known of a group because of it, and why.
    fn reason(&self, name: &str) -> (String, String) {
        match self {
            Self::Unreadable(why) => (
                name.to_owned(),
                format!("its open files cannot be read: {why}"),
            ),
            Self::AnotherNetwork => (
                format!("{name}.connections"),
                "it is in another network namespace, of whose sockets the kernel does not tell"
                    .into(),
            ),
        }
    }
}
