//! stdin as a channel: the plan first, then commands, until it ends.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use autostrada_net::Waker;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::plan::PlanError;

/// What may follow the plan of `serve --plan` on stdin.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Read CPU time and memory of these processes, by name: their own and their descendants', at
    /// the first byte sent and at the closing frame received, before it is answered.
    Observe(BTreeMap<String, i32>),
    /// stdin has ended: no further document can come.
    #[serde(skip)]
    End,
}

/// Reads JSON objects one after another, whatever the white space between them.
pub struct Documents<R: Read> {
    reader: Option<R>,
}

impl<R: Read> Documents<R> {
    /// Reads from `reader`.
    pub fn new(reader: R) -> Self {
        Self {
            reader: Some(reader),
        }
    }

    /// Returns the next object, or `None` at the end.
    ///
    /// # Errors
    ///
    /// When what comes next is no `T`; nothing can be read after that.
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
    ///
    /// # Errors
    ///
    /// When there is none, or it is not one.
    pub fn plan<T: DeserializeOwned>(&mut self) -> Result<T, PlanError> {
        self.next().unwrap_or_else(|| {
            Err(PlanError::new(
                "stdin is empty: give the plan there, see docs/format.md",
            ))
        })
    }
}

impl<R: Read + Send + 'static> Documents<R> {
    /// Goes on reading in a thread of its own, and wakes the poller for each command.
    #[must_use]
    pub fn into_channel(mut self, waker: Arc<Waker>) -> Receiver<Command> {
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            while let Some(command) = self.next::<Command>() {
                let command = command.unwrap_or_else(|error| {
                    crate::log(&error.to_string());
                    Command::End
                });
                if !tell(&sender, &waker, command) {
                    return;
                }
            }
            tell(&sender, &waker, Command::End);
        });
        receiver
    }
}

fn tell(sender: &Sender<Command>, waker: &Waker, command: Command) -> bool {
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
    fn an_empty_stdin_is_an_error_that_says_what_to_give() {
        let error = Documents::new(&b""[..]).plan::<Command>().unwrap_err();
        assert!(error.to_string().contains("docs/format.md"), "{error}");
    }
}
