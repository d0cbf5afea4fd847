//! Tests of `users.rs`.

use super::*;

fn read(name: &str, content: &str) -> Result<Users, String> {
    let file = std::env::temp_dir().join(format!("users-{name}-{}", std::process::id()));
    std::fs::write(&file, content).unwrap();
    let users = UsersPlan { file: file.clone() }.read();
    std::fs::remove_file(file).unwrap();
    users.map_err(|error| error.to_string())
}

#[test]
fn connections_have_the_users_in_turn() {
    let users = read("turn", "name, token\nann,1\n\"bob, b\",2\n").unwrap();
    assert_eq!(users.columns, ["name", "token"]);
    assert_eq!(&users.of(1)[0], "bob, b");
    assert_eq!(users.of(2), users.of(0));
    assert!(!format!("{users:?}").contains("ann"));
}

#[test]
fn a_wrong_file_is_refused_without_its_values() {
    for (name, content, remedy) in [
        ("empty", "", "no user"),
        ("head", "name\n", "no user"),
        ("unnamed", "name,\nann,secret\n", "name each column"),
        ("short", "name,token\nann,1\nsecret\n", "record 2"),
    ] {
        let error = read(name, content).unwrap_err();
        assert!(error.contains(remedy), "{name}: {error}");
        assert!(!error.contains("secret"), "{error}");
    }
    let missing = UsersPlan {
        file: "/nowhere.csv".into(),
    };
    assert!(
        missing
            .read()
            .unwrap_err()
            .to_string()
            .contains("/nowhere.csv")
    );
}
