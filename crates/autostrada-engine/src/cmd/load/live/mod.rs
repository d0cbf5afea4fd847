//! The live display of a load, in a terminal.

mod progress;
mod view;

use std::io::{self, IsTerminal, Stderr, Write};
use std::process;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use autostrada_net::{clock, limits};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event as TerminalEvent, KeyCode, KeyEvent, KeyModifiers};
use crossterm::style::Print;
use crossterm::terminal::{
    self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{execute, queue};

use crate::client::{Control, Event};
use progress::{Action, Progress};

/// Time between two pictures.
const EVERY: Duration = Duration::from_millis(200);

/// A display that runs in its own thread until it is ended.
#[derive(Debug)]
pub struct Live {
    progress: Arc<Mutex<Progress>>,
    end: Sender<()>,
    display: JoinHandle<io::Result<()>>,
}

impl Live {
    /// Whether there is a terminal for the display: both for its picture and for its keys.
    pub fn is_possible() -> bool {
        io::stderr().is_terminal() && io::stdin().is_terminal()
    }

    /// Starts the display of a load. `title` is what was asked for, in one line; `has_rate` says
    /// whether keys change its rate.
    pub fn start(title: String, connections: u64, has_rate: bool, control: Control) -> Self {
        let progress = Arc::new(Mutex::new(Progress {
            title,
            connections,
            factor: has_rate.then_some(1.0),
            ..Progress::default()
        }));
        let (end, ended) = channel();
        let shared = Arc::clone(&progress);
        let display = thread::spawn(move || display(&shared, &control, &ended));
        Self {
            progress,
            end,
            display,
        }
    }

    /// Adds an event of the load.
    pub fn add(&self, event: &Event<'_>) {
        let mut progress = locked(&self.progress);
        match event {
            Event::Ready(_) | Event::Opening { .. } | Event::Opened | Event::Result(_) => {}
            Event::Started(timetable) => progress.timetable = Some((*timetable).clone()),
            Event::Second(second) => progress.add(second),
        }
    }

    /// Sets what the server's process uses, in words; `None` if it is not known.
    pub fn set_server(&self, text: Option<String>) {
        locked(&self.progress).server = text;
    }

    /// Ends the display and restores the terminal.
    pub fn end(self) -> io::Result<()> {
        // The receiver is gone if the terminal could not be used.
        let _ = self.end.send(());
        self.display.join().unwrap_or(Ok(()))
    }
}

/// Returns the progress, also after a panic of the other thread.
fn locked(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws pictures and obeys keys until the display is ended.
///
/// Runs at a lower priority than the sending threads, so that drawing does not delay a message that
/// is due.
fn display(progress: &Mutex<Progress>, control: &Control, ended: &Receiver<()>) -> io::Result<()> {
    // Without the lower priority, drawing takes a little from the load generator.
    let _ = limits::use_idle_priority();
    let mut screen = Screen::open()?;
    while ended.try_recv() == Err(TryRecvError::Empty) {
        screen
            .draw(|width, height| view::picture(&locked(progress), clock::now(), width, height))?;
        if event::poll(EVERY)?
            && let TerminalEvent::Key(key) = event::read()?
        {
            match action(key) {
                Some(Action::Stop) if control.interruption.is_set() => {
                    drop(screen);
                    process::exit(control.interruption.status().into());
                }
                Some(Action::Stop) => {
                    locked(progress).is_stopping = true;
                    control.interruption.set();
                }
                Some(action) => {
                    let mut progress = locked(progress);
                    progress.obey(action);
                    control.pace.set(progress.pace());
                }
                None => {}
            }
        }
    }
    Ok(())
}

/// Returns what a key does; Ctrl-C is a key in raw mode.
fn action(key: KeyEvent) -> Option<Action> {
    match key.code {
        KeyCode::Char('q') => Some(Action::Stop),
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Action::Stop),
        KeyCode::Char('+' | '=') => Some(Action::Faster),
        KeyCode::Char('-') => Some(Action::Slower),
        KeyCode::Char('p') => Some(Action::Pause),
        _ => None,
    }
}

/// The second screen of a terminal, in raw mode; dropping it restores the first one.
struct Screen {
    terminal: Stderr,
}

impl Screen {
    fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        // Dropped, and so restored, if the terminal refuses the rest.
        let mut screen = Self {
            terminal: io::stderr(),
        };
        execute!(screen.terminal, EnterAlternateScreen, Hide)?;
        Ok(screen)
    }

    /// Draws the lines that a function returns for the width and height of the terminal.
    fn draw(&mut self, lines: impl Fn(usize, usize) -> Vec<String>) -> io::Result<()> {
        let (width, height) = terminal::size()?;
        // All is written at once, so that no half of a picture is seen.
        let mut out = Vec::new();
        let mut row = 0;
        for line in lines(width.into(), height.into()) {
            // Blanks replace what was longer: clearing would take the last column of a full line.
            let width = usize::from(width);
            queue!(out, MoveTo(0, row), Print(format!("{line:width$}")))?;
            row += 1;
        }
        if row < height {
            queue!(out, MoveTo(0, row), Clear(ClearType::FromCursorDown))?;
        }
        self.terminal.write_all(&out)
    }
}

impl Drop for Screen {
    /// Restores the terminal. Errors are ignored: they could not be shown.
    fn drop(&mut self) {
        let _ = execute!(self.terminal, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}
