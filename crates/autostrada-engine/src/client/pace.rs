//! How much faster than planned an open loop runs, which the user of the live display changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A factor of the planned rates, shared by all clones; 0 is a pause.
#[derive(Debug, Clone)]
pub struct Pace {
    /// The bits of the factor: there is no atomic float.
    bits: Arc<AtomicU64>,
    is_changed: Arc<AtomicBool>,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            bits: Arc::new(AtomicU64::new(1.0_f64.to_bits())),
            is_changed: Arc::default(),
        }
    }
}

impl Pace {
    /// Returns the factor.
    #[inline]
    pub fn factor(&self) -> f64 {
        f64::from_bits(self.bits.load(Ordering::Relaxed))
    }

    /// Sets the factor, which is finite and not negative.
    pub fn set(&self, factor: f64) {
        if self.bits.swap(factor.to_bits(), Ordering::Relaxed) != factor.to_bits() {
            self.is_changed.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the factor was ever changed.
    pub fn is_changed(&self) -> bool {
        self.is_changed.load(Ordering::Relaxed)
    }
}
