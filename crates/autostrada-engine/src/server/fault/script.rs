//! What becomes of the messages of one connection: which are lost, changed, doubled, out of order.

use std::collections::VecDeque;

use super::Message;
use crate::plan::FaultPlan;

/// Messages that wait for their burst go when they take so much memory: nothing waits for good.
const BURST_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What becomes of the messages of one connection, whatever the time is.
///
/// Each goes the same way: lose, corrupt, repeat, swap, burst.
#[derive(Debug)]
pub struct Script {
    lose: Every,
    corrupt: Every,
    repeat: Every,
    swap: Every,
    /// One that the next is to overtake, with its copies.
    overtaken: Vec<Message>,
    /// So many go together.
    burst: usize,
    /// Those that wait for the others of their burst.
    gathered: Vec<Message>,
    gathered_bytes: usize,
    /// How many have come.
    number: u64,
}

/// One in so many.
#[derive(Debug, Clone, Copy)]
struct Every(Option<u64>);

impl Every {
    fn includes(self, number: u64) -> bool {
        self.0.is_some_and(|every| number.is_multiple_of(every))
    }
}

impl Script {
    /// The script of a plan.
    pub fn new(plan: &FaultPlan) -> Self {
        Self {
            lose: Every(plan.lose_every),
            corrupt: Every(plan.corrupt_every),
            repeat: Every(plan.repeat_every),
            swap: Every(plan.swap_every),
            overtaken: Vec::new(),
            burst: plan.burst.unwrap_or(1),
            gathered: Vec::new(),
            gathered_bytes: 0,
            number: 0,
        }
    }

    /// Takes the next message, and appends to `out` what goes on because of it.
    pub fn push(&mut self, mut message: Message, out: &mut VecDeque<Message>) {
        self.number += 1;
        if self.lose.includes(self.number) {
            return;
        }
        if self.corrupt.includes(self.number) {
            message.corrupt();
        }
        let copy = self.repeat.includes(self.number).then(|| message.clone());
        let copies = std::iter::once(message).chain(copy);
        if !self.overtaken.is_empty() {
            for copy in copies {
                self.gather(copy, out);
            }
            self.release_overtaken(out);
        } else if self.swap.includes(self.number) {
            self.overtaken.extend(copies);
        } else {
            for copy in copies {
                self.gather(copy, out);
            }
        }
    }

    /// Appends to `out` what waits for messages that will not come.
    pub fn finish(&mut self, out: &mut VecDeque<Message>) {
        self.release_overtaken(out);
        self.release_burst(out);
    }

    fn release_overtaken(&mut self, out: &mut VecDeque<Message>) {
        for message in std::mem::take(&mut self.overtaken) {
            self.gather(message, out);
        }
    }

    fn gather(&mut self, message: Message, out: &mut VecDeque<Message>) {
        self.gathered_bytes += message.held_bytes();
        self.gathered.push(message);
        if self.gathered.len() >= self.burst || self.gathered_bytes > BURST_BYTES_MAX {
            self.release_burst(out);
        }
    }

    fn release_burst(&mut self, out: &mut VecDeque<Message>) {
        out.extend(self.gathered.drain(..));
        self.gathered_bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autostrada_proto::frame::Opcode;

    fn script(settings: &str) -> Script {
        Script::new(&serde_json::from_str(&format!("{{{settings}}}")).unwrap())
    }

    fn message(text: &str) -> Message {
        Message {
            opcode: Opcode::Text,
            payload: text.as_bytes().to_vec(),
        }
    }

    /// What is sent because of each of the messages a0, b0, c0, …; those of one are not spaced.
    fn sent(script: &mut Script, messages: u8) -> String {
        let mut sent = Vec::new();
        for letter in b'a'..b'a' + messages {
            let mut out = VecDeque::new();
            script.push(message(&format!("{}0", char::from(letter))), &mut out);
            sent.push(text_of(out));
        }
        sent.join(" ")
    }

    /// `a` for a0, `A` for one that is corrupt.
    fn text_of(messages: VecDeque<Message>) -> String {
        let letter = |one: Message| {
            let letter = char::from(one.payload[0]);
            if one.payload[1] == b'0' {
                letter
            } else {
                letter.to_ascii_uppercase()
            }
        };
        messages.into_iter().map(letter).collect()
    }

    fn finished(script: &mut Script) -> String {
        let mut out = VecDeque::new();
        script.finish(&mut out);
        text_of(out)
    }

    #[test]
    fn without_faults_each_message_goes_on_at_once() {
        assert_eq!(sent(&mut script(""), 4), "a b c d");
    }

    #[test]
    fn each_fault_is_of_one_in_so_many() {
        for (settings, expected) in [
            (r#""lose_every": 3"#, "a b  d e  g"),
            (r#""corrupt_every": 3"#, "a b C d e F g"),
            (r#""repeat_every": 3"#, "a b cc d e ff g"),
            (r#""swap_every": 3"#, "a b  dc e  gf"),
            (r#""burst": 3"#, "  abc   def "),
        ] {
            assert_eq!(sent(&mut script(settings), 7), expected, "{settings}");
        }
    }

    #[test]
    fn they_follow_one_another_in_their_order() {
        for (settings, expected) in [
            (r#""lose_every": 2, "corrupt_every": 2"#, "a  c  e "),
            (r#""lose_every": 3, "repeat_every": 2"#, "a bb  dd e "),
            (r#""corrupt_every": 2, "repeat_every": 2"#, "a BB c DD e FF"),
            (r#""corrupt_every": 2, "swap_every": 2"#, "a  cB  eD "),
            (r#""repeat_every": 2, "swap_every": 2"#, "a  cbb  edd "),
            (r#""repeat_every": 3, "swap_every": 2"#, "a  ccb  ed "),
            (r#""swap_every": 2, "burst": 2"#, "  ac  be "),
            (r#""repeat_every": 2, "burst": 2"#, " ab bc dd  ef"),
            (r#""lose_every": 2, "burst": 2"#, "  ac   "),
        ] {
            assert_eq!(sent(&mut script(settings), 6), expected, "{settings}");
        }
    }

    #[test]
    fn who_overtakes_is_the_next_that_is_sent_and_is_not_overtaken_itself() {
        let settings = r#""lose_every": 3, "swap_every": 2"#;
        assert_eq!(sent(&mut script(settings), 8), "a   db e  g ");
    }

    #[test]
    fn what_waits_for_others_goes_when_none_will_come() {
        let mut swap = script(r#""swap_every": 2"#);
        assert_eq!(sent(&mut swap, 2), "a ");
        assert_eq!(finished(&mut swap), "b");
        assert_eq!(finished(&mut swap), "");
        let mut both = script(r#""swap_every": 4, "burst": 5"#);
        assert_eq!(sent(&mut both, 4), "   ");
        assert_eq!(finished(&mut both), "abcd");
    }

    #[test]
    fn a_burst_goes_when_it_takes_too_much_memory() {
        let mut script = script(r#""burst": 1000"#);
        let large = "x".repeat(BURST_BYTES_MAX / 2);
        let mut out = VecDeque::new();
        script.push(message(&large), &mut out);
        assert_eq!(out.len(), 0);
        script.push(message(&large), &mut out);
        assert_eq!(out.len(), 2);
        script.push(message(&large), &mut out);
        assert_eq!(out.len(), 2, "the next one begins anew");
    }
}
