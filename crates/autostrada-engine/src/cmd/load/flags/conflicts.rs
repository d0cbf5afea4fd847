//! Options that contradict or need each other.

use crate::plan::PlanError;

/// Pairs of options that cannot be combined, and why.
pub const CONFLICTS: &[(&str, &str, &str)] = &[
    (
        "--pipeline",
        "--rate",
        "an open loop does not wait for answers",
    ),
    ("--receive", "--message", "nothing is sent"),
    ("--receive", "--message-file", "nothing is sent"),
    ("--receive", "--size", "nothing is sent"),
    ("--receive", "--rate", "nothing is sent"),
    ("--receive", "--pipeline", "nothing is sent"),
    ("--receive", "--reply", "nothing is sent"),
    ("--receive", "--event", "nothing is sent"),
    ("--receive", "--every", "nothing is sent"),
    ("--receive", "--storm", "each of them is a load"),
    ("--storm", "--message", "nothing is sent"),
    ("--storm", "--message-file", "nothing is sent"),
    ("--storm", "--size", "nothing is sent"),
    ("--storm", "--rate", "nothing is sent"),
    ("--storm", "--every", "nothing is sent"),
    ("--storm", "--pipeline", "nothing is sent"),
    ("--storm", "--reply", "nothing is sent"),
    ("--storm", "--event", "nothing is sent"),
    ("--storm", "--messages", "nothing is sent"),
    (
        "--pipeline",
        "--every",
        "an open loop does not wait for answers",
    ),
    ("--rate", "--every", "each of them is the rate"),
    ("--messages", "--duration", "each of them ends the load"),
    ("--messages", "--warm-up", "all messages are counted"),
    (
        "--messages",
        "--slow",
        "slow connections never receive all messages",
    ),
    ("--message", "--message-file", "each of them is the message"),
    ("--message", "--size", "each of them is the message"),
    ("--message-file", "--size", "each of them is the message"),
    ("--proxy", "--resolve", "the proxy resolves the host"),
    ("--insecure", "--ca", "any certificate is accepted"),
];

/// Options that need another one, and what they are without it.
pub const NEEDED: &[(&str, &str)] = &[
    ("--slow", "--receive"),
    ("--chunk", "--message-file"),
    ("--cert", "--key"),
    ("--key", "--cert"),
];

/// Refuses options that contradict each other.
pub fn check(given: &[&str]) -> Result<(), PlanError> {
    for (one, other, why) in CONFLICTS {
        if given.contains(one) && given.contains(other) {
            return Err(PlanError::new(format!(
                "{one} and {other} exclude each other, because {why}: remove one of them"
            )));
        }
    }
    for (one, other) in NEEDED {
        if given.contains(one) && !given.contains(other) {
            return Err(PlanError::new(format!("{one} needs {other}: add it")));
        }
    }
    Ok(())
}
