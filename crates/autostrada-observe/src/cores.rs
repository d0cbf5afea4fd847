//! The times of each core since the machine started, from `/proc/stat`.

use schemars::JsonSchema;
use serde::Serialize;

/// Times of one core since the machine started, in nanoseconds; multiples of the kernel's tick,
/// usually 10 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CoreTimes")]
pub struct Core {
    /// Time in which the core ran processes or the kernel, interrupts included, in nanoseconds.
    pub busy_ns: u64,
    /// Time in which the core was idle or waited for a disk, in nanoseconds.
    pub idle_ns: u64,
    /// Time in which the hypervisor gave the core to others although it had work, in nanoseconds;
    /// null if the kernel does not count it.
    pub steal_ns: Option<u64>,
    /// Part of `busy_ns` that was spent in soft interrupts, in which the kernel does most of its
    /// network processing, in nanoseconds.
    pub softirq_ns: u64,
}

/// Parses the lines of single cores in `/proc/stat`; `None` if there are none or one is malformed.
pub fn parse(text: &str, tick_ns: u64) -> Option<Vec<Core>> {
    let lines = text.lines().filter(|line| {
        let number = line.strip_prefix("cpu");
        number.is_some_and(|number| number.starts_with(|first: char| first.is_ascii_digit()))
    });
    let cores: Vec<Core> = lines
        .map(|line| parse_core(line, tick_ns))
        .collect::<Option<_>>()?;
    (!cores.is_empty()).then_some(cores)
}

fn parse_core(line: &str, tick_ns: u64) -> Option<Core> {
    let fields = line.split_ascii_whitespace().skip(1);
    let times = fields
        .map(|field| field.parse::<u64>().ok()?.checked_mul(tick_ns))
        .collect::<Option<Vec<u64>>>()?;
    // The times of guests, which follow, are contained in the user times.
    let [
        user,
        nice,
        system,
        idle,
        disk,
        interrupt,
        softirq,
        ref rest @ ..,
    ] = times[..]
    else {
        return None;
    };
    let busy = [user, nice, system, interrupt, softirq];
    Some(Core {
        busy_ns: busy.into_iter().fold(0, u64::saturating_add),
        idle_ns: idle.saturating_add(disk),
        steal_ns: rest.first().copied(),
        softirq_ns: softirq,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "cpu  100 20 30 4000 50 6 7 8 9 0\n\
                        cpu0 50 10 15 2000 25 3 4 4 9 0\n\
                        cpu3 1 2 3 4 5 6 7\n\
                        intr 12345 0 0\nctxt 1\n";

    #[test]
    fn each_core_is_read_and_guests_count_once() {
        let cores = parse(TEXT, 10).unwrap();
        let first = Core {
            busy_ns: 820,
            idle_ns: 20_250,
            steal_ns: Some(40),
            softirq_ns: 40,
        };
        let second = Core {
            busy_ns: 190,
            idle_ns: 90,
            steal_ns: None,
            softirq_ns: 70,
        };
        assert_eq!(cores, [first, second]);
    }

    #[test]
    fn malformed_text_is_none() {
        for text in [
            "",
            "cpu 1 2 3 4 5 6 7",
            "cpu0 1 2 3 4 5 6",
            "cpu0 1 2 3 4 5 6 x",
        ] {
            assert_eq!(parse(text, 10), None, "{text}");
        }
        assert_eq!(parse("cpu0 1 2 3 4 5 6 18446744073709551615", 10), None);
    }
}
