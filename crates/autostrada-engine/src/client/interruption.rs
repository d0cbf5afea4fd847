//! The end of a load before its time: by a signal, or by the user of the live display.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What is added to the number of a signal for the exit status of a process that it ended.
const STATUS_OF_SIGNALS: i32 = 128;

/// Whether a load was interrupted, and by what; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Interruption {
    is_set: Arc<AtomicBool>,
    /// Number of the signal; 0 for none.
    signal: Arc<AtomicUsize>,
}

impl Interruption {
    /// Returns an interruption that is set by SIGINT and SIGTERM.
    pub fn by_signals() -> io::Result<Self> {
        let new = Self::default();
        new.register()?;
        Ok(new)
    }

    /// Returns the same, except that a second signal ends the process at once.
    pub fn by_first_of_two_signals() -> io::Result<Self> {
        let new = Self::default();
        // Handlers run in the order of their registration, so the first signal finds nothing set.
        for signal in [SIGINT, SIGTERM] {
            let status = STATUS_OF_SIGNALS + signal;
            flag::register_conditional_shutdown(signal, status, Arc::clone(&new.is_set))?;
        }
        new.register()?;
        Ok(new)
    }

    fn register(&self) -> io::Result<()> {
        for signal in [SIGINT, SIGTERM] {
            let number = usize::try_from(signal).expect("signals have positive numbers");
            flag::register_usize(signal, Arc::clone(&self.signal), number)?;
            flag::register(signal, Arc::clone(&self.is_set))?;
        }
        Ok(())
    }

    /// Interrupts the load.
    pub fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
    }

    /// Whether the load was interrupted.
    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    /// Returns the exit status of an interrupted process: 143 after SIGTERM, else 130.
    pub fn status(&self) -> u8 {
        let terminated = usize::try_from(SIGTERM).expect("signals have positive numbers");
        if self.signal.load(Ordering::Relaxed) == terminated {
            143
        } else {
            130
        }
    }
}
