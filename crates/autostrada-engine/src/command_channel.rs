//! The documents on stdin: a plan, then commands.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use autostrada_measure::Nanos;
use autostrada_net::Waker;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::plan::{PHASE_S_MAX, PlanError, nanos};

/// A command that may follow the plan of `serve --plan` on stdin.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Processes to observe: a name of your choice and the process identifier of each. CPU time and
    /// memory of each process and its descendants are read when the first byte is sent, and when
    /// the closing frame is received, before it is answered.
    Observe(BTreeMap<String, i32>),
    /// Pushes a slice, if the plan says `slices`. The line `slice` is printed when it has ended.
    Slice(SliceCommand),
    /// `true`: no slice follows, if the plan says `slices`. The connection is closed, and the result
    /// is printed. The end of stdin has the same effect.
    End(bool),
}

impl Command {
    /// Checks the constraints that the types do not express.
    pub fn check(&self, has_slices: bool) -> Result<(), PlanError> {
        match self {
            Self::Slice(slice) if has_slices => slice.part().map(drop),
            Self::Slice(_) => Err(PlanError::new("stdin: slice needs a plan with slices")),
            Self::End(false) => Err(PlanError::new("stdin: end takes true only")),
            Self::Observe(_) | Self::End(true) => Ok(()),
        }
    }
}

/// A command that may follow the plan of `load --plan` on stdin: `start-at-ns` if the plan says
/// `awaits_start`, the others if it says `slices`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum LoadCommand {
    /// Instant at which the workload begins, in nanoseconds of this machine's monotonic clock; at
    /// once if it has passed.
    StartAtNs(Nanos),
    /// Carries out a slice. The line `slice` is printed when it has ended.
    Slice(SliceCommand),
    /// `true`: no slice follows. The connections are closed, and the result is printed.
    End(bool),
}

/// A slice of a load, or of a push. In a load `window` messages are sent on each connection, for
/// `publish` are published, and messages are exchanged for some time. Then outstanding answers are
/// awaited, at most `drain_s`. A push sends a number of messages, and after them a ping whose pong is
/// awaited, at most 60 s.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceCommand {
    /// Time for which messages are sent, in seconds. A push sends as many as the client processes in
    /// that time, at its rate in the slices before, without pings between them.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = PHASE_S_MAX))]
    seconds: Option<f64>,
    /// Number of messages of a push, instead of `seconds`: the first slice needs it. Their pings, those
    /// of the plan, are the `marks` of the result.
    #[schemars(range(min = 1, max = PUSH_MESSAGES_MAX))]
    messages: Option<u64>,
    /// Whether the slice is part of the result. Otherwise only its failures are, as of a warm-up. The
    /// result of a push has all slices.
    pub counts: bool,
}

/// Maximum number of messages of a slice of a push.
const PUSH_MESSAGES_MAX: u64 = 1 << 40;

/// How long a slice of a push is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushPart {
    /// As many messages as the client processes in a time, in nanoseconds.
    Time(Nanos),
    /// A number of messages.
    Messages(u64),
}

impl SliceCommand {
    /// Returns the time for which a load sends messages.
    /// Returns an error if it is missing or out of range.
    pub fn length_ns(&self) -> Result<Nanos, PlanError> {
        let Some(seconds) = self.seconds.filter(|_| self.messages.is_none()) else {
            return Err(PlanError::new(
                "stdin: a slice of a load needs seconds alone",
            ));
        };
        if seconds > 0.0 && seconds <= PHASE_S_MAX {
            return Ok(nanos(seconds));
        }
        Err(PlanError::new(
            "stdin: the seconds of a slice must be above 0, and at most 86400",
        ))
    }

    /// Returns how long a slice of a push is.
    /// Returns an error unless exactly one length is given, within its range.
    pub fn part(&self) -> Result<PushPart, PlanError> {
        match (self.messages, self.seconds) {
            (Some(messages), None) if (1..=PUSH_MESSAGES_MAX).contains(&messages) => {
                Ok(PushPart::Messages(messages))
            }
            (None, Some(_)) => Ok(PushPart::Time(self.length_ns()?)),
            _ => Err(PlanError::new(
                "stdin: a slice of a push needs seconds, or at least 1 and at most 2^40 messages",
            )),
        }
    }
}

/// A reader of consecutive JSON objects with any white space between them.
pub struct Documents<R: Read> {
    reader: Option<R>,
}

impl<R: Read> Documents<R> {
    /// Creates a reader of the objects in `reader`.
    pub fn new(reader: R) -> Self {
        Self {
            reader: Some(reader),
        }
    }

    /// Returns the next object, or `None` at the end.
    /// Returns an error if the next object is not a valid `T`; nothing can be read after that.
    pub fn next<T: DeserializeOwned>(&mut self) -> Option<Result<T, PlanError>> {
        let mut reader = self.reader.take()?;
        // No byte is read beyond the end of an object.
        let mut documents = serde_json::Deserializer::from_reader(&mut reader).into_iter();
        match documents.next()? {
            Ok(value) => {
                self.reader = Some(reader);
                Some(Ok(value))
            }
            Err(error) => Some(Err(PlanError::new(format!("stdin: {error}")))),
        }
    }

    /// Returns the plan, which must come first.
    /// Returns an error if stdin is empty, or its first object is not a valid plan.
    pub fn plan<T: DeserializeOwned>(&mut self) -> Result<T, PlanError> {
        self.next().unwrap_or_else(|| {
            Err(PlanError::new(
                "stdin is empty: write the plan to stdin, see docs/format.md",
            ))
        })
    }
}

impl<R: Read + Send + 'static> Documents<R> {
    /// Continues reading in a separate thread that sends each command and wakes the poller.
    ///
    /// An invalid command is logged and ends the commands, as the end of stdin does.
    pub fn into_channel(mut self, waker: Arc<Waker>) -> Receiver<Command> {
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            while let Some(command) = self.next::<Command>() {
                let command = command.unwrap_or_else(|error| {
                    crate::log(&error.to_string());
                    Command::End(true)
                });
                if !send(&sender, &waker, command) {
                    return;
                }
            }
            send(&sender, &waker, Command::End(true));
        });
        receiver
    }
}

fn send(sender: &Sender<Command>, waker: &Waker, command: Command) -> bool {
    sender.send(command).is_ok() && waker.wake().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_one_value_after_another() {
        let mut documents =
            Documents::new(&b"\n {\"observe\": {\"client\": 7}}{\"observe\":{}}\n"[..]);
        let Some(Ok(Command::Observe(processes))) = documents.next() else {
            panic!("the first command is missing");
        };
        assert_eq!(processes["client"], 7);
        assert!(matches!(documents.next(), Some(Ok(Command::Observe(_)))));
        assert!(documents.next::<Command>().is_none());
    }

    #[test]
    fn the_end_may_follow_an_object_at_once() {
        let mut documents = Documents::new(&b"{\"observe\": {}}"[..]);
        assert!(matches!(documents.next(), Some(Ok(Command::Observe(_)))));
        assert!(documents.next::<Command>().is_none());
    }

    #[test]
    fn half_a_value_is_an_error_and_nothing_follows() {
        let mut documents = Documents::new(&b"{\"observe\": {"[..]);
        assert!(matches!(documents.next::<Command>(), Some(Err(_))));
        assert!(documents.next::<Command>().is_none());
    }

    #[test]
    fn an_empty_stdin_is_an_error_with_the_remedy() {
        let error = Documents::new(&b""[..]).plan::<Command>().unwrap_err();
        assert!(error.to_string().contains("docs/format.md"), "{error}");
    }
}
