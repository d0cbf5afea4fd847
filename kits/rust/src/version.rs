//! The version of a library in the lock file.

/// Returns the version of `package` in the text of a `Cargo.lock`, or `None` if it is not locked.
#[must_use]
pub fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines
        .nth(1)?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"version = 4

[[package]]
name = "one-more"
version = "1.0.0"

[[package]]
name = "one"
version = "2.3.4"
source = "registry"
"#;

    #[test]
    fn finds_the_version_of_a_package() {
        assert_eq!(locked_version(LOCK, "one"), Some("2.3.4"));
    }

    #[test]
    fn a_package_that_is_not_locked_has_none() {
        assert_eq!(locked_version(LOCK, "two"), None);
    }
}
