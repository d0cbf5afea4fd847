//! Replays the stored corpus.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use autostrada_fuzz::targets::TARGETS;

const INPUTS_MAX: usize = 60;
const INPUT_BYTES_MAX: usize = 4_096;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

#[test]
fn each_target_has_a_small_corpus_and_passes_on_it() {
    for (name, check) in TARGETS {
        let inputs = entries(&corpus().join(name));
        assert!(!inputs.is_empty(), "no corpus for {name}");
        assert!(inputs.len() <= INPUTS_MAX, "minimise the corpus of {name}");
        for path in inputs {
            let input = fs::read(&path).unwrap();
            assert!(
                input.len() <= INPUT_BYTES_MAX,
                "{} is too long",
                path.display()
            );
            println!("{}", path.display());
            check(&input);
        }
    }
}

#[test]
fn each_corpus_is_that_of_a_target() {
    let names: BTreeSet<String> = TARGETS.iter().map(|&(name, _)| name.to_owned()).collect();
    let found = entries(&corpus())
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, found);
}
