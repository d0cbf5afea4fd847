//! Observed processes and their samples.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use autostrada_net::clock;
use serde_json::{Value, json};

use crate::process::{Engine, LIMIT};

/// A process that proceeds on each line it reads, or waits; it is killed when dropped.
pub struct Script {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// The first line that it printed, if any.
    pub ready: String,
}

impl Script {
    /// Starts a Python program and waits for its first line.
    pub fn python(text: &str) -> Self {
        let mut script = Self::start(Command::new("python3").args(["-c", text]));
        script.ready = script.read_line();
        script
    }

    /// Starts a process that waits until it is killed.
    pub fn idle() -> Self {
        let mut script = Self::start(&mut Command::new("cat"));
        // After it has echoed a line it is idle.
        script.resume();
        script
    }

    pub fn start(program: &mut Command) -> Self {
        let mut child = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            stdout,
            ready: String::new(),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line and returns it.
    pub fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Writes a line to its stdin and waits for its answer.
    pub fn resume(&mut self) -> String {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        self.read_line()
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts `observe` with 100 samples per second.
pub fn observe(processes: &Value) -> Engine {
    let mut engine = Engine::start(&["observe"]);
    engine.send(&json!({"format": 2, "processes": processes, "every_ms": 10}));
    engine
}

/// Returns the next sample.
pub fn sample(engine: &mut Engine) -> Value {
    let line = engine.line();
    assert_eq!(line["event"], "sample", "{line}");
    line
}

/// Returns a sample that begins after the call; the next one may have begun before it.
pub fn fresh(engine: &mut Engine) -> Value {
    let at_ns = clock::now();
    sample_until(engine, |sample| metric(sample, "at_ns") >= at_ns)
}

/// Returns the first sample that fulfils the condition; panics at the time limit.
pub fn sample_until(engine: &mut Engine, is_match: impl Fn(&Value) -> bool) -> Value {
    let limit_ns = clock::now() + u64::try_from(LIMIT.as_nanos()).unwrap();
    loop {
        let line = sample(engine);
        if is_match(&line) {
            return line;
        }
        assert!(
            clock::now() < limit_ns,
            "no sample fulfils the condition: {line}"
        );
    }
}

/// Returns a metric of the only process in a sample.
pub fn number(sample: &Value, key: &str) -> u64 {
    let processes = sample["processes"].as_object().unwrap();
    assert_eq!(processes.len(), 1, "{sample}");
    metric(processes.values().next().unwrap(), key)
}

pub fn metric(metrics: &Value, key: &str) -> u64 {
    metrics[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key}: {metrics}"))
}
