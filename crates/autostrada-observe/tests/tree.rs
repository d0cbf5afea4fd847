//! What a tree of processes has used, over readings that are made up.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use autostrada_observe::{Missing, ProcessSample, Source, Tree, TreeSample, Usage};

const ROOT: i32 = 100;

/// Processes, each with a number that no other one has.
#[derive(Default, Clone)]
struct Made {
    processes: Rc<RefCell<BTreeMap<i32, (u64, ProcessSample)>>>,
    unreadable: Rc<RefCell<Vec<i32>>>,
    made: Rc<RefCell<u64>>,
}

impl Source for Made {
    type Process = (i32, u64);

    fn find(&mut self, pid: i32) -> Result<Self::Process, Missing> {
        if self.unreadable.borrow().contains(&pid) {
            return Err(Missing::Unreadable("not allowed".into()));
        }
        let processes = self.processes.borrow();
        let (number, _) = processes.get(&pid).ok_or(Missing::Gone)?;
        Ok((pid, *number))
    }

    fn sample(&mut self, (pid, number): &mut Self::Process) -> Result<ProcessSample, Missing> {
        match self.processes.borrow().get(pid) {
            Some((same, sampled)) if same == number => Ok(sampled.clone()),
            _ => Err(Missing::Gone),
        }
    }
}

impl Made {
    /// One process, which has used 100 ns and has 10 bytes.
    fn with_root() -> (Self, Tree<Self>) {
        let made = Self::default();
        made.start(ROOT, 1);
        (made, Tree::new(ROOT))
    }

    /// A process that has used 100 ns and has 10 bytes, and at most had 20.
    fn start(&self, pid: i32, parent: i32) {
        *self.made.borrow_mut() += 1;
        let sampled = ProcessSample {
            parent,
            used: Usage {
                cpu_ns: 100,
                ..Usage::default()
            },
            threads: 1,
            files: 3,
            resident_bytes: 10,
            peak_resident_bytes: 20,
            ..ProcessSample::default()
        };
        let number = *self.made.borrow();
        let mut processes = self.processes.borrow_mut();
        processes.insert(pid, (number, sampled));
        if let Some((_, parent)) = processes.get_mut(&parent) {
            parent.children.push(pid);
        }
    }

    fn change(&self, pid: i32, change: impl FnOnce(&mut ProcessSample)) {
        change(&mut self.processes.borrow_mut().get_mut(&pid).unwrap().1);
    }

    fn works(&self, pid: i32, cpu_ns: u64) {
        self.change(pid, |sampled| sampled.used.cpu_ns += cpu_ns);
    }

    /// It is gone; its parent gets `reaped_ns`, and its children another parent.
    fn end(&self, pid: i32, reaped_ns: u64) {
        let (_, ended) = self.processes.borrow_mut().remove(&pid).unwrap();
        if self.processes.borrow().contains_key(&ended.parent) {
            self.change(ended.parent, |parent| {
                parent.children.retain(|&child| child != pid);
                parent.reaped.cpu_ns += reaped_ns;
            });
        }
        for child in ended.children {
            self.change(child, |child| child.parent = 1);
        }
    }
}

fn cpu_ns(sample: &TreeSample) -> u64 {
    sample.figures.as_ref().unwrap().used.cpu_ns
}

#[test]
fn descendants_count_with_their_ancestor() {
    let (mut made, mut tree) = Made::with_root();
    made.start(101, ROOT);
    made.start(102, 101);
    made.start(200, 1);
    let sample = tree.sample(&mut made);
    assert!(!sample.is_gone);
    let figures = sample.figures.unwrap();
    assert_eq!((figures.used.cpu_ns, figures.resident_bytes), (300, 30));
    assert_eq!(figures.peak_resident_bytes, 60);
}

#[test]
fn a_child_that_is_waited_for_counts_as_the_kernel_says_where_that_is_more() {
    let (mut made, mut tree) = Made::with_root();
    made.start(101, ROOT);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 200);
    made.works(101, 400);
    made.end(101, 490);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 100 + 490);
    made.works(ROOT, 1);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 101 + 490);
}

#[test]
fn a_child_whose_ticks_are_less_than_was_read_counts_as_it_was_read() {
    for reaped_ns in [0, 90] {
        let (mut made, mut tree) = Made::with_root();
        made.start(101, ROOT);
        assert_eq!(cpu_ns(&tree.sample(&mut made)), 200);
        made.end(101, reaped_ns);
        assert_eq!(cpu_ns(&tree.sample(&mut made)), 200, "{reaped_ns}");
        assert_eq!(cpu_ns(&tree.sample(&mut made)), 200, "{reaped_ns}");
    }
}

#[test]
fn a_child_that_nobody_saw_counts_when_it_is_waited_for() {
    let (mut made, mut tree) = Made::with_root();
    tree.sample(&mut made);
    made.start(101, ROOT);
    made.works(101, 900);
    made.end(101, 1_000);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 1_100);
}

#[test]
fn nothing_counts_twice_when_a_family_ends_at_once() {
    let (mut made, mut tree) = Made::with_root();
    made.start(101, ROOT);
    made.start(102, 101);
    made.start(103, 102);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 400);
    made.end(103, 100);
    made.end(102, 200);
    made.end(101, 300);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 400);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 400);
}

#[test]
fn who_loses_its_parent_remains_a_descendant_and_so_do_its_children() {
    let (mut made, mut tree) = Made::with_root();
    made.start(101, ROOT);
    made.start(102, 101);
    tree.sample(&mut made);
    made.end(101, 100);
    made.works(102, 50);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 350);
    made.start(103, 102);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 450);
    made.end(103, 0);
    made.end(102, 0);
    let sample = tree.sample(&mut made);
    assert_eq!(cpu_ns(&sample), 450);
    assert_eq!(sample.figures.unwrap().resident_bytes, 10);
}

#[test]
fn cpu_time_and_peak_never_fall() {
    let (mut made, mut tree) = Made::with_root();
    made.start(101, ROOT);
    made.end(101, 1_000);
    made.start(102, ROOT);
    let first = tree.sample(&mut made).figures.unwrap();
    assert_eq!(first.used.cpu_ns, 100 + 1_000 + 100);
    // Its ticks were lost in rounding, while those of another are more than was read of it.
    made.end(102, 0);
    let second = tree.sample(&mut made).figures.unwrap();
    assert_eq!(second.used.cpu_ns, first.used.cpu_ns);
    assert_eq!(second.peak_resident_bytes, 40);
    assert_eq!(second.resident_bytes, 10);
}

#[test]
fn another_process_with_the_identifier_of_one_that_ended_is_another() {
    let (mut made, mut tree) = Made::with_root();
    made.start(101, ROOT);
    tree.sample(&mut made);
    made.end(101, 100);
    made.start(101, ROOT);
    made.works(101, 7);
    tree.sample(&mut made);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 100 + 100 + 107);
    made.end(101, 107);
    // This one is nobody's child here.
    made.start(101, 1);
    made.works(101, 5_000);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 307);
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 307);
}

#[test]
fn what_a_parent_lists_and_is_no_child_of_it_is_left_out() {
    let (mut made, mut tree) = Made::with_root();
    made.start(300, 1);
    made.change(ROOT, |root| root.children.push(300));
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 100);
}

#[test]
fn a_root_that_is_gone_has_its_last_figures() {
    let (mut made, mut tree) = Made::with_root();
    tree.sample(&mut made);
    made.end(ROOT, 0);
    let sample = tree.sample(&mut made);
    assert!(sample.is_gone);
    let figures = sample.figures.unwrap();
    assert_eq!((figures.used.cpu_ns, figures.resident_bytes), (100, 10));
    assert_eq!(figures.peak_resident_bytes, 20);
}

#[test]
fn a_root_that_ended_and_was_not_waited_for_is_gone_with_all_it_used() {
    let (mut made, mut tree) = Made::with_root();
    tree.sample(&mut made);
    made.change(ROOT, |root| {
        root.has_ended = true;
        root.used.cpu_ns = 130;
        root.resident_bytes = 0;
        root.peak_resident_bytes = 0;
    });
    let sample = tree.sample(&mut made);
    assert!(sample.is_gone);
    let figures = sample.figures.unwrap();
    assert_eq!((figures.used.cpu_ns, figures.resident_bytes), (130, 10));
    assert_eq!(figures.peak_resident_bytes, 20);
}

#[test]
fn a_root_that_has_let_go_of_its_memory_is_about_to_end() {
    let (mut made, mut tree) = Made::with_root();
    made.start(101, ROOT);
    tree.sample(&mut made);
    made.change(ROOT, |root| root.resident_bytes = 0);
    let sample = tree.sample(&mut made);
    assert!(!sample.is_gone);
    assert_eq!(sample.figures.unwrap().resident_bytes, 20);
    made.end(ROOT, 0);
    assert_eq!(tree.sample(&mut made).figures.unwrap().resident_bytes, 20);
}

#[test]
fn a_root_that_was_never_there_has_no_figures() {
    let sample = Tree::new(ROOT).sample(&mut Made::default());
    assert!(sample.is_gone);
    let error = sample.figures.unwrap_err().to_string();
    assert!(error.contains("100"), "{error}");
}

#[test]
fn what_cannot_be_read_makes_the_figures_unknown_until_it_can() {
    let (mut made, mut tree) = Made::with_root();
    made.start(101, ROOT);
    made.unreadable.borrow_mut().push(101);
    let sample = tree.sample(&mut made);
    assert!(!sample.is_gone);
    let error = sample.figures.unwrap_err().to_string();
    assert!(
        error.contains("101") && error.contains("not allowed"),
        "{error}"
    );
    made.unreadable.borrow_mut().clear();
    assert_eq!(cpu_ns(&tree.sample(&mut made)), 200);
}

#[test]
fn a_root_that_cannot_be_read_is_gone_when_it_is() {
    let (mut made, mut tree) = Made::with_root();
    made.unreadable.borrow_mut().push(ROOT);
    assert!(!tree.sample(&mut made).is_gone);
    made.end(ROOT, 0);
    made.unreadable.borrow_mut().clear();
    let sample = tree.sample(&mut made);
    assert!(sample.is_gone);
    assert!(sample.figures.is_err());
}
