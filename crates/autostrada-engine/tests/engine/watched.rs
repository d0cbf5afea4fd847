//! Processes that are observed, and samples of them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use autostrada_net::clock;
use serde_json::{Value, json};

use crate::process::{Engine, LIMIT};

/// A process that goes on line by line, or waits, and is gone when a test is over.
pub struct Script {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// Its first line, where it has one: that it is ready.
    pub ready: String,
}

impl Script {
    /// Starts a program of Python, and waits for its first line.
    pub fn python(text: &str) -> Self {
        let mut script = Self::start(Command::new("python3").args(["-c", text]));
        script.ready = script.answer();
        script
    }

    /// Starts a process that waits until it is ended.
    pub fn idle() -> Self {
        let mut script = Self::start(&mut Command::new("cat"));
        // From when it sends back a line it does nothing more.
        script.go_on();
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

    /// Waits for a line.
    pub fn answer(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Tells it to go on, and waits until it has done so.
    pub fn go_on(&mut self) -> String {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        self.answer()
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

/// Starts to observe, a hundred times a second.
pub fn observe(processes: &Value) -> Engine {
    let mut engine = Engine::start(&["observe"]);
    engine.send(&json!({"format": 2, "processes": processes, "every_ms": 10}));
    engine
}

/// Its next sample.
pub fn sample(engine: &mut Engine) -> Value {
    let line = engine.line();
    assert_eq!(line["event"], "sample", "{line}");
    line
}

/// A sample that begins after the call: the next one may have begun before it.
pub fn fresh(engine: &mut Engine) -> Value {
    let at_ns = clock::now();
    sample_until(engine, |sample| figure(sample, "at_ns") >= at_ns)
}

/// The first sample that is as it should be, which has to come.
pub fn sample_until(engine: &mut Engine, is_so: impl Fn(&Value) -> bool) -> Value {
    let limit_ns = clock::now() + u64::try_from(LIMIT.as_nanos()).unwrap();
    loop {
        let line = sample(engine);
        if is_so(&line) {
            return line;
        }
        assert!(clock::now() < limit_ns, "it never came: {line}");
    }
}

/// A figure of the only process in a sample.
pub fn number(sample: &Value, key: &str) -> u64 {
    let processes = sample["processes"].as_object().unwrap();
    assert_eq!(processes.len(), 1, "{sample}");
    figure(processes.values().next().unwrap(), key)
}

pub fn figure(figures: &Value, key: &str) -> u64 {
    figures[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key}: {figures}"))
}
