//! A running engine: its input, lines and log.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

/// Time limit of every wait; only a defect reaches it.
pub const LIMIT: Duration = Duration::from_secs(300);

/// A running `autostrada-engine`, which is killed when dropped.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    logs: Receiver<String>,
}

/// The exit status and remaining output of an engine.
pub struct Finished {
    pub status: Option<i32>,
    /// Printed lines that no test had read.
    pub lines: Vec<Value>,
    pub stderr: String,
}

impl Engine {
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_by(
            &mut Command::new(env!("CARGO_BIN_EXE_autostrada-engine")),
            arguments,
        )
    }

    /// Starts the engine through a program that executes it.
    pub fn start_by(program: &mut Command, arguments: &[&str]) -> Self {
        let mut child = program
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        let (log, logs) = channel();
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            for line in stderr.lines() {
                let line = line.unwrap();
                text += &line;
                text.push('\n');
                // The receiver is gone if the test waits for no log.
                let _ = log.send(line);
            }
            text
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            stderr: Some(stderr),
            logs,
        }
    }

    /// Starts the engine with a limit of its resources, as options of `ulimit`.
    pub fn start_with_limit(options: &str, arguments: &str) -> Self {
        let script = format!("ulimit {options}; exec \"$0\" \"$@\"");
        let engine = env!("CARGO_BIN_EXE_autostrada-engine");
        let mut shell = Command::new("sh");
        Self::start_by(shell.args(["-c", &script, engine]), &words(arguments))
    }

    /// Starts `load` with this plan.
    pub fn load(plan: &Value) -> Self {
        let mut engine = Self::start(&["load", "--plan", "-"]);
        engine.send(plan);
        engine
    }

    /// Starts `serve` with this plan and waits until it listens.
    pub fn serve(plan: &Value) -> (Self, SocketAddr) {
        let mut engine = Self::start(&["serve", "--plan"]);
        engine.send(plan);
        let address = engine.ready();
        (engine, address)
    }

    /// Starts a server that echoes and pushes.
    pub fn echo() -> (Self, SocketAddr) {
        Self::serve(&push(&json!({})))
    }

    /// Writes one document to its stdin.
    pub fn send(&mut self, document: &Value) {
        self.send_text(&format!("{document}\n"));
    }

    pub fn send_text(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(text.as_bytes()).unwrap();
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGINT.
    pub fn interrupt(&self) {
        self.signal("-INT");
    }

    pub fn signal(&self, option: &str) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args([option, &pid]).status();
        assert!(status.unwrap().success());
    }

    pub fn end_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for its next line.
    pub fn line(&mut self) -> Value {
        let line = self
            .lines
            .recv_timeout(LIMIT)
            .expect("the engine prints a line");
        serde_json::from_str(&line).unwrap()
    }

    /// Waits for the ready line; returns its address.
    pub fn ready(&mut self) -> SocketAddr {
        let line = self.line();
        assert_eq!(line["event"], "ready", "{line}");
        assert_eq!(line["format"], 2);
        assert_eq!(line["version"], env!("AUTOSTRADA_VERSION"));
        let url = line["url"].as_str().unwrap();
        let (_, authority) = url.split_once("://").unwrap();
        authority.split('/').next().unwrap().parse().unwrap()
    }

    /// Waits for a result, skipping the lines of seconds.
    pub fn result(&mut self) -> Value {
        loop {
            let line = self.line();
            if line["event"] != "second" {
                assert_eq!(line["event"], "result", "{line}");
                return line;
            }
        }
    }

    /// Interrupts a load when its seconds add up to these counts; returns its result.
    pub fn result_when(&mut self, counts: &[(&str, u64)]) -> Value {
        let mut seconds = Vec::new();
        let total = |seconds: &[Value], key: &str| -> u64 {
            seconds.iter().map(|line| line[key].as_u64().unwrap()).sum()
        };
        while counts
            .iter()
            .any(|(key, count)| total(&seconds, key) < *count)
        {
            let line = self.line();
            assert_eq!(line["event"], "second", "{line}");
            seconds.push(line);
        }
        self.interrupt();
        self.result()
    }

    /// Waits for a log line that contains `text`, and returns it.
    pub fn wait_for_log(&self, text: &str) -> String {
        loop {
            let line = self.logs.recv_timeout(LIMIT);
            let line = line.expect("the engine logs the text");
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Waits until a load is ready and then ends, and asserts that it succeeds; returns its result.
    pub fn complete(mut self) -> Value {
        self.ready();
        let result = self.result();
        let finished = self.finish();
        assert_eq!(finished.status, Some(0), "{}", finished.stderr);
        result
    }

    /// Waits until the engine refuses its input; returns the one line on stderr.
    pub fn refusal(self) -> String {
        let finished = self.finish();
        assert_eq!(finished.status, Some(2), "{}", finished.stderr);
        assert!(finished.lines.is_empty());
        assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
        finished.stderr
    }

    /// Waits until the engine exits.
    pub fn finish(mut self) -> Finished {
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(LIMIT) {
                Ok(line) => lines.push(serde_json::from_str(&line).unwrap()),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the engine does not exit"),
            }
        }
        let status = self.child.wait().unwrap().code();
        let stderr = self.stderr.take().unwrap().join().unwrap();
        Finished {
            status,
            lines,
            stderr,
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server; returns it and the URL at which it echoes.
pub fn echo_server() -> (Engine, String) {
    let (server, address) = Engine::echo();
    (server, format!("ws://{address}/echo"))
}

/// Returns the plan of a server that pushes, with these keys set.
pub fn push(settings: &Value) -> Value {
    let plan = json!({"format": 2, "listen": "127.0.0.1:0", "workload": {"kind": "push"}});
    with(plan, settings)
}

/// Returns the arguments that a command line has.
pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// What `load` printed, and its exit status.
#[derive(Debug)]
pub struct Printed {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Printed {
    /// Asserts that the load succeeded; returns what it printed on stdout.
    pub fn screen(self) -> String {
        assert_eq!(self.status, Some(0), "{}", self.stderr);
        self.stdout
    }
}

/// Executes `load` with these arguments.
pub fn load(arguments: &[&str]) -> Printed {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_autostrada-engine"));
    let output = engine.arg("load").args(arguments).output().unwrap();
    Printed {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Asserts that an object has these fields, among others.
pub fn assert_fields(object: &Value, expected: &Value) {
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&object[key], value, "{key}: {object}");
    }
}

/// Asserts that a text has these parts, in any order.
pub fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing: {text}");
    }
}

/// Returns a plan with these keys set.
pub fn with(mut plan: Value, settings: &Value) -> Value {
    for (key, value) in settings.as_object().unwrap() {
        plan[key] = value.clone();
    }
    plan
}
