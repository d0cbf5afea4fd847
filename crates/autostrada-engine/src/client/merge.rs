//! Adding up what threads, processes and hosts recorded.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use autostrada_measure::{
    Broadcasts, ConnectionTimes, Failures, Histogram, Recorder, Regularity, SequenceCounts,
};

use super::buckets::Buckets;
use crate::ended::Ended;

/// Records of a part of a load that can be added to those of another part.
pub trait Merge {
    /// Adds the records of another thread, process or host.
    fn merge(&mut self, other: &Self);
}

impl Merge for () {
    fn merge(&mut self, (): &Self) {}
}

/// A load is complete if all of its parts are.
impl Merge for Ended {
    fn merge(&mut self, other: &Self) {
        if *self == Self::Complete {
            *self = *other;
        }
    }
}

/// What is null in one part is that of the other.
impl<T: Merge + Clone> Merge for Option<T> {
    fn merge(&mut self, other: &Self) {
        match (self, other) {
            (_, None) => {}
            (Some(ours), Some(theirs)) => ours.merge(theirs),
            (ours, theirs) => ours.clone_from(theirs),
        }
    }
}

impl<T: Merge + Clone> Merge for Box<T> {
    fn merge(&mut self, other: &Self) {
        T::merge(self, other);
    }
}

/// Implements [`Merge`] by the method of the same name.
macro_rules! merge_by_method {
    ($($type:ty),* $(,)?) => {
        $(impl Merge for $type {
            fn merge(&mut self, other: &Self) {
                Self::merge(self, other);
            }
        })*
    };
}

merge_by_method!(
    Broadcasts,
    ConnectionTimes,
    Failures,
    Histogram,
    Recorder,
    Regularity,
    SequenceCounts,
);

/// Implements [`Merge`], or with `fn NAME` a method, by a rule of [`rule`] for each field.
///
/// A field without a rule does not compile.
macro_rules! merge {
    (fn $name:ident of $type:ty { $($field:ident: $rule:ident),* $(,)? }) => {
        impl $type {
            /// Adds the fields of another part, one by one.
            fn $name(&mut self, other: &Self) {
                let Self { $($field),* } = self;
                $($crate::client::merge::rule::$rule($field, &other.$field);)*
            }
        }
    };
    ($type:ty { $($field:ident: $rule:ident),* $(,)? }) => {
        impl $crate::client::merge::Merge for $type {
            fn merge(&mut self, other: &Self) {
                let Self { $($field),* } = self;
                $($crate::client::merge::rule::$rule($field, &other.$field);)*
            }
        }
    };
}

pub(crate) use merge;

/// The rules by which fields are merged.
#[expect(
    clippy::ptr_arg,
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "a field is passed by reference, whatever its type"
)]
pub mod rule {
    use super::{AddAssign, BTreeMap, Buckets, Merge};

    /// A value of its own type is merged as that type says.
    pub fn each<T: Merge>(ours: &mut T, theirs: &T) {
        ours.merge(theirs);
    }

    /// Counters are added.
    pub fn sum<T: AddAssign + Copy>(ours: &mut T, theirs: &T) {
        *ours += *theirs;
    }

    /// Numbers that a part may not have are added.
    pub fn sum_of_known<T: AddAssign + Copy>(ours: &mut Option<T>, theirs: &Option<T>) {
        match (ours, *theirs) {
            (Some(ours), Some(theirs)) => *ours += theirs,
            (ours, theirs) => *ours = ours.or(theirs),
        }
    }

    /// The larger value is kept; one that is not known is the smallest.
    pub fn most<T: Ord + Copy>(ours: &mut T, theirs: &T) {
        *ours = (*ours).max(*theirs);
    }

    /// The smaller value is kept, of those that are known.
    pub fn least_of_known<T: Ord + Copy>(ours: &mut Option<T>, theirs: &Option<T>) {
        *ours = match (*ours, *theirs) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
    }

    /// It is true if it is true of one part.
    pub fn any(ours: &mut bool, theirs: &bool) {
        *ours |= *theirs;
    }

    /// The value of the first part is kept.
    pub fn first<T>(_ours: &mut T, _theirs: &T) {}

    /// The first value that is known is kept.
    pub fn first_known<T: Clone>(ours: &mut Option<T>, theirs: &Option<T>) {
        if ours.is_none() {
            ours.clone_from(theirs);
        }
    }

    /// The value follows from other fields: the merging of its type sets it.
    pub fn derived<T>(_ours: &mut T, _theirs: &T) {}

    /// The value is not known of several parts together.
    pub fn unknown<T>(ours: &mut Option<T>, _theirs: &Option<T>) {
        *ours = None;
    }

    /// The lists follow each other.
    pub fn append<T: Clone>(ours: &mut Vec<T>, theirs: &Vec<T>) {
        ours.extend_from_slice(theirs);
    }

    /// The counts of the same name are added.
    pub fn counts(ours: &mut BTreeMap<String, u64>, theirs: &BTreeMap<String, u64>) {
        for (name, count) in theirs {
            *ours.entry(name.clone()).or_default() += count;
        }
    }

    /// The counts of the same bucket are added.
    pub fn buckets(ours: &mut Buckets, theirs: &Buckets) {
        let mut sum: BTreeMap<_, _> = ours.drain(..).collect();
        for (lowest_ns, count) in theirs {
            *sum.entry(*lowest_ns).or_default() += count;
        }
        ours.extend(sum);
    }

    /// The buckets of a part that has some.
    pub fn buckets_of_known(ours: &mut Option<Buckets>, theirs: &Option<Buckets>) {
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => buckets(ours, theirs),
            (ours, theirs) => first_known(ours, theirs),
        }
    }
}
