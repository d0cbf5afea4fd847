//! Parsers of files of `/proc`: `proc(5)`, `proc_net(5)`, and the kernel's documentation of SNMP
//! counters and of pressure stall information.

/// Returns the sum of named counters of a group in `/proc/net/netstat` or `/proc/net/snmp`.
///
/// A group has two lines, of names and of values. Returns `None` if the group has none of the
/// counters, or one is malformed.
pub fn sum(text: &str, group: &str, names: &[&str]) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(group));
    let (heads, values) = (lines.next()?, lines.next()?);
    let found = heads
        .split_ascii_whitespace()
        .zip(values.split_ascii_whitespace())
        .filter(|(name, _)| names.contains(name));
    let values = found
        .map(|(_, value)| value.parse().ok())
        .collect::<Option<Vec<u64>>>()?;
    values.into_iter().reduce(u64::saturating_add)
}

/// Returns the bytes that an interface has received, from `/proc/net/dev`.
pub fn received_bytes(text: &str, interface: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix(interface)?;
        rest.strip_prefix(':')
    })?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

/// Returns one line of `/proc/meminfo` in bytes.
pub fn memory_bytes(text: &str, name: &str) -> Option<u64> {
    let rest = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kib: u64 = rest.trim().strip_suffix(" kB")?.parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns the memory of the queues of all TCP sockets in bytes, from `/proc/net/sockstat`, which has
/// it in pages.
pub fn tcp_memory_bytes(text: &str, page_bytes: u64) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix("TCP:"))?;
    let mut fields = rest.split_ascii_whitespace();
    fields.find(|field| *field == "mem")?;
    let pages: u64 = fields.next()?.parse().ok()?;
    pages.checked_mul(page_bytes)
}

/// Returns the total of the line `some` in nanoseconds, from `/proc/pressure/cpu`.
pub fn pressure_some_ns(text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let total = rest
        .split_ascii_whitespace()
        .find_map(|field| field.strip_prefix("total="))?;
    total.parse::<u64>().ok()?.checked_mul(1_000)
}

#[cfg(test)]
#[path = "tests/counters.rs"]
mod tests;
