//! The lines of `/proc/PID`, as `proc_pid_stat(5)` and its neighbours describe them.

/// What `/proc/PID/stat` says and nothing else does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    /// As `ps` shows it: `R`, `S`, `Z`, `X`, …
    pub state: char,
    /// The parent.
    pub parent: i32,
    /// CPU time of children for which was waited, user and system, in ticks.
    pub reaped_ticks: u64,
    /// How many have not ended.
    pub threads: u64,
}

impl ProcessStat {
    /// Reads the line; `None` where it is another one.
    pub fn parse(line: &str) -> Option<Self> {
        // The name stands in parentheses, and may itself have spaces and parentheses.
        let (_, after_name) = line.rsplit_once(')')?;
        let mut fields = after_name.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let parent = fields.next()?.parse().ok()?;
        let mut numbers = fields.skip(11).map(|field| field.parse::<u64>().ok());
        let (user, system) = (numbers.next()??, numbers.next()??);
        let threads = numbers.nth(2)??;
        Some(Self {
            state,
            parent,
            reaped_ticks: user + system,
            threads,
        })
    }

    /// Whether the process has ended: its first thread may have, and others go on.
    pub fn has_ended(self) -> bool {
        self.state == 'Z' && self.threads <= 1
    }
}

/// The resident pages that `/proc/PID/statm` tells.
pub fn resident_pages(line: &str) -> Option<u64> {
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// The most memory that was resident, of `/proc/PID/status`; 0 for a process without memory.
pub fn peak_resident_bytes(text: &str) -> Option<u64> {
    let Some(rest) = text.lines().find_map(|line| line.strip_prefix("VmHWM:")) else {
        return Some(0);
    };
    let kib: u64 = rest.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

/// The identifiers that `/proc/PID/task/TID/children` lists.
pub fn children(text: &str) -> impl Iterator<Item = i32> {
    text.split_ascii_whitespace()
        .filter_map(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "4242 (a) S 1) Z 77 4242 4242 0 -1 4194560 4274 43979 0 4 200 100 29 2 20 0 \
                        3 0 2244372 5124096 978 18446744073709551615 1 1 0 0 0 0 0 65536 4 0 1 0 \
                        0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";

    #[test]
    fn a_line_is_read_whatever_the_name_is() {
        let stat = ProcessStat::parse(LINE).unwrap();
        assert_eq!((stat.state, stat.parent), ('Z', 77));
        assert_eq!((stat.reaped_ticks, stat.threads), (31, 3));
    }

    #[test]
    fn a_process_whose_first_thread_ended_goes_on_while_others_do() {
        let stat = ProcessStat::parse(LINE).unwrap();
        assert!(!stat.has_ended());
        assert!(ProcessStat { threads: 1, ..stat }.has_ended());
        let asleep = ProcessStat {
            state: 'S',
            threads: 1,
            ..stat
        };
        assert!(!asleep.has_ended());
    }

    #[test]
    fn what_is_cut_short_is_no_line() {
        for end in [0, 4, 10, 13, 20, 60, 75] {
            assert_eq!(ProcessStat::parse(&LINE[..end]), None, "{}", &LINE[..end]);
        }
        assert_eq!(ProcessStat::parse(&LINE.replace(" 29 ", " -1 ")), None);
        assert_eq!(resident_pages("1251"), None);
    }

    #[test]
    fn memory_is_read_and_none_of_a_process_without() {
        assert_eq!(resident_pages("1251 1027 784 193 0 270 0\n"), Some(1027));
        assert_eq!(
            peak_resident_bytes("Name:\tsh\nVmHWM:\t    3912 kB\nVmRSS:\t 3000 kB\n"),
            Some(3912 * 1024)
        );
        assert_eq!(peak_resident_bytes("Name:\tkthreadd\n"), Some(0));
        assert_eq!(peak_resident_bytes("VmHWM: many\n"), None);
    }

    #[test]
    fn children_are_listed_with_spaces() {
        assert_eq!(children("12 13 ").collect::<Vec<_>>(), [12, 13]);
        assert_eq!(children("").count(), 0);
    }
}
