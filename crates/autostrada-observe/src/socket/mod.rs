//! Samples the TCP connections of processes through `sock_diag(7)`.
//!
//! Sockets whose addresses are reported are queried directly, in about a microsecond each. All
//! others are searched: listing all sockets of the machine takes about a microsecond per socket, and
//! finding the owner of one several microseconds. Therefore they are listed at once only until the
//! first one is found, later mainly when files were opened or closed; only some of many files are
//! examined, at most some hundred sockets are queried, and this is limited to a small share of a
//! core.

mod channel;
mod counters;
mod message;
mod metrics;
mod owner;
mod subset;
mod tcp_info;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;

pub use counters::SocketCounters;
pub use metrics::SocketMetrics;
pub use tcp_info::TcpInfo;

use crate::allowance::Allowance;
use channel::{Channel, SocketStatus};
use message::Address;
pub(crate) use owner::Network;
use owner::{Links, Table};
use subset::{ConnectionSet, SampleInProgress, Subset};

/// CPU time for counting sockets while some group has none yet, in ten-thousandths of a core.
const FIRST_COUNTING_SHARE: u16 = 1_000;
/// Time in which the first socket of each group is searched with that CPU time, in nanoseconds.
const FIRST_WITHIN_NS: u64 = 30_000_000_000;
/// CPU time for counting sockets and finding their owners, in ten-thousandths of a core.
const COUNTING_SHARE: u16 = 20;
/// CPU time for querying the metrics of single sockets, in ten-thousandths of a core.
const QUERY_SHARE: u16 = 20;
/// Number of sockets up to which all are queried at each sample, whatever that CPU time.
const QUERIED_ALWAYS_MAX: usize = 32;
/// Interval of counting sockets if no file was opened or closed, in nanoseconds.
const COUNTING_EVERY_NS: u64 = 1_000_000_000;
/// Number of open files above which sockets are counted only when the number does not change, and
/// only a part of the files is examined.
const FILES_FEW: u64 = 2_000;
/// Approximate number of examined files if there are more than `FILES_FEW`.
const LINKS: u64 = 1_000;
/// Maximum time to wait until the number of files does not change, in nanoseconds.
const STABLE_WITHIN_NS: u64 = 5_000_000_000;
/// Maximum number of sampled sockets per group.
pub const SAMPLED_MAX: usize = 256;
/// Maximum number of sampled sockets of all groups together.
const SAMPLED_MAX_TOGETHER: usize = 512;

/// Processes whose sockets are sampled together.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// The name of the group in a sample.
    pub name: &'a str,
    /// PIDs of the processes.
    pub members: Vec<i32>,
    /// Number of their open files; `None` if it is not known.
    pub files: Option<u64>,
    /// CPU time that they have used, in nanoseconds. While it does not change, they have not opened
    /// any file.
    pub cpu_ns: u64,
}

/// One sample of the sockets.
#[derive(Debug, Default)]
pub struct SocketsSample {
    /// Metrics of each group whose files can be read, sorted by the name of the group.
    pub metrics: Vec<(Arc<str>, SocketMetrics)>,
    /// Missing groups (`NAME`) and metrics of groups (`NAME.connections`), with the reason.
    pub missing: BTreeMap<String, String>,
}

/// Samples the TCP connections of groups of processes.
#[derive(Debug)]
pub struct Sockets {
    /// A channel for the network namespace of this process, and for others when they are needed.
    channels: BTreeMap<Network, Channel>,
    first_counting: Allowance,
    counting: Allowance,
    querying: Allowance,
    owners: BTreeMap<Arc<str>, Owner>,
    begun_ns: Option<u64>,
    counted_ns: Option<u64>,
    /// Number of open files of all searched groups at the last sample.
    files: u64,
}

/// The sockets of one group.
#[derive(Debug, Default)]
struct Owner {
    /// Number of files, and CPU time, when the inodes were last read.
    read_at: Option<(Option<u64>, u64)>,
    /// The sockets among the examined files.
    links: Links,
    /// Number of files when the inodes were last read.
    files: u64,
    /// One in this many files was examined.
    every: u64,
    /// The network namespace of the processes; `None` if all have ended.
    network: Option<Network>,
    /// Why the sockets are not known or not accessible.
    obstacle: Option<Obstacle>,
    subset: Subset,
    /// Number of reported sockets.
    reported: usize,
    /// Reported sockets that were not queried yet.
    unresolved: Vec<Address>,
    /// Whether a socket was found when they were counted.
    has_found: bool,
}

#[derive(Debug, Clone)]
enum Obstacle {
    Unreadable(String),
    AnotherNetwork(String),
}

impl Sockets {
    /// Opens a netlink socket.
    /// Returns the reason if this kernel or this container does not provide such sockets.
    pub fn open() -> Result<Self, String> {
        let pid = std::process::id().cast_signed();
        let own = Network::of(pid).map_err(|error| format!("/proc/{pid}/ns/net: {error}"))?;
        Ok(Self {
            channels: BTreeMap::from([(own, Channel::open()?)]),
            first_counting: Allowance::new(FIRST_COUNTING_SHARE),
            counting: Allowance::new(COUNTING_SHARE),
            querying: Allowance::new(QUERY_SHARE),
            owners: BTreeMap::new(),
            begun_ns: None,
            counted_ns: None,
            files: 0,
        })
    }

    /// Begins a sample at `now_ns`: fills the allowances for expensive reads.
    pub fn begin(&mut self, now_ns: u64) {
        self.begun_ns.get_or_insert(now_ns);
        self.first_counting.refill(now_ns);
        self.counting.refill(now_ns);
        self.querying.refill(now_ns);
    }

    /// Adds a socket of a group that was just opened. A group with reported sockets is not searched
    /// as long as all of them are sampled and one is open.
    pub fn report(&mut self, group: &str, local: SocketAddr, peer: SocketAddr) {
        if let Some(owner) = self.owners.get_mut(group) {
            owner.reported += 1;
            owner.unresolved.push(Address::between(local, peer));
        }
    }

    /// Queries the known connections; `None` if none were counted yet, or if that is too expensive
    /// at this sample.
    ///
    /// A sample must begin with this. Other reads may delay processes on the same core; a query
    /// after them would find in queues what these processes then send at once.
    /// Returns the reason if the kernel refuses, or is older than Linux 4.10.
    pub fn query(&mut self) -> Result<Option<SocketsSample>, String> {
        let sampled: usize = self.owners.values().map(Owner::sampled).sum();
        let is_cheap = sampled <= QUERIED_ALWAYS_MAX;
        if self.counted_ns.is_none() || !(is_cheap || self.querying.has_balance()) {
            return Ok(None);
        }
        let Self {
            querying,
            channels,
            owners,
            ..
        } = self;
        let sampled = if is_cheap {
            query(channels, owners)
        } else {
            querying.charge(|| query(channels, owners))
        };
        sampled.map(Some)
    }

    /// Counts the connections of the groups that are searched, if they may have changed and it is not
    /// too expensive.
    ///
    /// Returns whether they were counted for the first time, or some are to be sampled in addition.
    pub fn count(&mut self, now_ns: u64, groups: &[Group<'_>]) -> Result<bool, String> {
        let names: HashSet<&str> = groups.iter().map(|group| group.name).collect();
        self.owners.retain(|name, _| names.contains(&**name));
        for name in names {
            self.owners.entry(name.into()).or_default();
        }
        let sampled_max = sampled_max(groups.len());
        let is_searched = |group: &&Group<'_>| !self.owners[group.name].is_reported(sampled_max);
        let searched: Vec<&Group<'_>> = groups.iter().filter(is_searched).collect();
        let is_first = self.is_first_search(now_ns, &searched);
        let is_due = self.is_counting_due(now_ns, &searched, is_first);
        let Self {
            first_counting,
            counting,
            channels,
            owners,
            ..
        } = self;
        let allowance = if is_first { first_counting } else { counting };
        if !is_due || !allowance.has_balance() {
            return Ok(false);
        }
        let has_added = allowance.charge(|| count(channels, owners, &searched, sampled_max))?;
        Ok(self.counted_ns.replace(now_ns).is_none() || has_added)
    }

    /// Returns whether a searched group has had no connection yet, and may have opened one since it
    /// was read.
    fn is_first_search(&self, now_ns: u64, searched: &[&Group<'_>]) -> bool {
        let has_none = |group: &&Group<'_>| {
            let owner = &self.owners[group.name];
            let may_have_opened = owner.read_at != Some((group.files, group.cpu_ns));
            !owner.has_found && owner.obstacle.is_none() && may_have_opened
        };
        let begun_ns = self.begun_ns.unwrap_or(now_ns);
        now_ns.saturating_sub(begun_ns) < FIRST_WITHIN_NS && searched.iter().any(has_none)
    }

    /// Returns whether the connections may have changed since they were counted.
    ///
    /// While many connections are being opened, counting waits until all are open, because it is
    /// too expensive to repeat.
    fn is_counting_due(&mut self, now_ns: u64, searched: &[&Group<'_>], is_first: bool) -> bool {
        let files = searched.iter().filter_map(|group| group.files).sum();
        let before = std::mem::replace(&mut self.files, files);
        let age_ns = self
            .counted_ns
            .map_or(u64::MAX, |counted_ns| now_ns.saturating_sub(counted_ns));
        let are_files_stable = files <= FILES_FEW || files == before || age_ns >= STABLE_WITHIN_NS;
        let has_changed = |group: &&Group<'_>| {
            let read_at = self.owners[group.name].read_at;
            read_at.map(|(files, _)| files) != Some(group.files)
        };
        let is_other = is_first || searched.iter().any(has_changed);
        let is_old = !searched.is_empty() && age_ns >= COUNTING_EVERY_NS;
        are_files_stable && (is_other || is_old)
    }
}

/// Returns the maximum number of sampled sockets of each of several groups.
fn sampled_max(groups: usize) -> usize {
    SAMPLED_MAX.min(SAMPLED_MAX_TOGETHER / groups.max(1)).max(1)
}

/// Finds all connections of groups, and chooses at most `sampled_max` of each to sample; returns
/// whether some were added.
fn count(
    channels: &mut BTreeMap<Network, Channel>,
    owners: &mut BTreeMap<Arc<str>, Owner>,
    groups: &[&Group<'_>],
    sampled_max: usize,
) -> Result<bool, String> {
    let mut names_by_inode: HashMap<u32, Vec<usize>> = HashMap::new();
    for (index, group) in groups.iter().enumerate() {
        let owner = owners.entry(group.name.into()).or_default();
        owner.read(group);
        owner.open_channel(group, channels);
        for inode in &owner.links.inodes {
            names_by_inode.entry(*inode).or_default().push(index);
        }
    }
    let mut addresses: Vec<Vec<Address>> = vec![Vec::new(); groups.len()];
    let networks: BTreeSet<Network> = owners.values().filter_map(|owner| owner.network).collect();
    let in_use = channels
        .iter_mut()
        .filter(|(network, _)| networks.contains(*network));
    for (_, channel) in in_use.filter(|_| !names_by_inode.is_empty()) {
        channel.list_all(|described| {
            for index in names_by_inode.get(&described.inode).into_iter().flatten() {
                addresses[*index].push(described.address);
            }
        })?;
    }
    let mut has_added = false;
    for (group, addresses) in groups.iter().zip(addresses) {
        let owner = owners.entry(group.name.into()).or_default();
        owner.has_found |= !addresses.is_empty();
        let connection_set = owner.connection_set(addresses);
        has_added |= owner.subset.choose(connection_set, sampled_max);
    }
    Ok(has_added)
}

/// Queries all sampled connections.
fn query(
    channels: &mut BTreeMap<Network, Channel>,
    owners: &mut BTreeMap<Arc<str>, Owner>,
) -> Result<SocketsSample, String> {
    let mut sampled = SocketsSample::default();
    let sampled_max = sampled_max(owners.len());
    for (name, owner) in owners {
        if let Some(obstacle) = &owner.obstacle {
            let (missing, reason) = obstacle.reason(name);
            sampled.missing.insert(missing, reason);
        }
        if matches!(owner.obstacle, Some(Obstacle::Unreadable(_))) {
            continue;
        }
        let known = owner.subset.len();
        let unresolved = std::mem::take(&mut owner.unresolved);
        let addresses: Vec<_> = owner.subset.addresses().chain(unresolved).collect();
        let mut progress = SampleInProgress::default();
        let mut is_complete = true;
        if let Some(channel) = owner.network.and_then(|network| channels.get_mut(&network)) {
            channel.query(&addresses, |index, found| match found {
                SocketStatus::Open(described) => {
                    let is_new = index >= known;
                    let subset = &mut owner.subset;
                    if !is_new || subset.len() < sampled_max && subset.add(described.address) {
                        is_complete &= subset.record(&described, &mut progress);
                    }
                }
                SocketStatus::Gone => owner.subset.remove(&addresses[index]),
                SocketStatus::Unknown if index >= known => {
                    owner.unresolved.push(addresses[index]);
                }
                SocketStatus::Unknown => {}
            })?;
        }
        if !is_complete {
            return Err("the kernel's tcp_info is too short: Linux 4.10 or later is needed".into());
        }
        let metrics = owner.subset.finish(progress);
        sampled.metrics.push((Arc::clone(name), metrics));
    }
    Ok(sampled)
}

impl Owner {
    /// Returns the number of sockets that are queried at a sample.
    fn sampled(&self) -> usize {
        self.subset.len() + self.unresolved.len()
    }

    /// Returns whether its sockets are known without a search: they were reported, and no more than
    /// can be sampled.
    fn is_reported(&self, sampled_max: usize) -> bool {
        self.reported > 0 && self.reported <= sampled_max && self.sampled() > 0
    }

    /// Reads the sockets of a group, if they may have changed.
    fn read(&mut self, group: &Group<'_>) {
        let stamp = Some((group.files, group.cpu_ns));
        if self.read_at == stamp && group.files.is_some() {
            return;
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
            if let Err(reason) = table.read(self.every, &mut links) {
                self.obstacle = Some(Obstacle::Unreadable(reason));
            }
        }
        self.read_at = stamp;
        self.links = links;
    }

    /// Returns the descriptor tables of all members, whose network namespace is that of the first.
    fn tables(&mut self, group: &Group<'_>) -> Vec<Table> {
        let mut all = Vec::new();
        let mut first = None;
        for pid in &group.members {
            match owner::tables(*pid) {
                Ok((tables, network)) => {
                    all.extend(tables);
                    first = first.or(network);
                    if network.is_some_and(|network| Some(network) != first) {
                        let reason = "its processes are in several".into();
                        self.obstacle = Some(Obstacle::AnotherNetwork(reason));
                    }
                }
                Err(reason) => self.obstacle = Some(Obstacle::Unreadable(reason)),
            }
        }
        self.network = first.or(self.network);
        all
    }

    /// Opens a channel for the network namespace of the group, if there is none yet.
    fn open_channel(&mut self, group: &Group<'_>, channels: &mut BTreeMap<Network, Channel>) {
        let Some(network) = self.network else { return };
        let Entry::Vacant(vacant) = channels.entry(network) else {
            return;
        };
        let member = group
            .members
            .iter()
            .find(|pid| Network::of(**pid).is_ok_and(|found| found == network));
        match member.map(|pid| Channel::open_of(*pid)) {
            Some(Ok(channel)) => {
                vacant.insert(channel);
            }
            Some(Err(reason)) => self.obstacle = Some(Obstacle::AnotherNetwork(reason)),
            None => {}
        }
    }

    /// Returns the found connections with the estimated total number.
    ///
    /// The estimate assumes the same proportion of connections among files that were not examined.
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
    /// Returns the name of the missing group or metric, and the reason.
    fn reason(&self, name: &str) -> (String, String) {
        match self {
            Self::Unreadable(reason) => (
                name.to_owned(),
                format!("its open files cannot be read: {reason}"),
            ),
            Self::AnotherNetwork(reason) => (
                format!("{name}.connections"),
                format!(
                    "the process is in another network namespace, whose sockets cannot be \
                     listed: {reason}"
                ),
            ),
        }
    }
}
