//! Users: the rows of a CSV file, one for each connection.

use std::fmt;
use std::path::PathBuf;

use csv::StringRecord;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::plan::PlanError;

/// Users, one for each connection, whose values are parts of the opening request and of messages.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsersPlan {
    /// Path of a CSV file (RFC 4180). Its first row names the columns, each other row is a user, and
    /// connections have the users in turn. `{{NAME}}` is replaced by the user's value of the column
    /// with this name in the path of the URL, in header fields, in cookies, in `auth` and `on_open`
    /// and, with `template`, in messages.
    file: PathBuf,
}

/// The users of a file. Their values may be secret: no text about them contains one.
pub struct Users {
    /// The names of the columns.
    pub columns: Vec<String>,
    rows: Vec<StringRecord>,
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Users")
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}

impl UsersPlan {
    /// Reads the file.
    /// Returns an error if the file cannot be read, has no user, a row has another number of values
    /// than the first one, or a column has no name.
    pub fn read(&self) -> Result<Users, PlanError> {
        let file = self.file.display();
        let wrong = |cause: &dyn fmt::Display| PlanError::new(format!("users: {file}: {cause}"));
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::Headers)
            .from_path(&self.file)
            .map_err(|error| wrong(&error))?;
        let head = reader.headers().map_err(|error| wrong(&error))?;
        let columns: Vec<_> = head.iter().map(str::to_owned).collect();
        if columns.iter().any(String::is_empty) {
            return Err(wrong(&"the first row must name each column"));
        }
        let rows: Result<Vec<_>, _> = reader.records().collect();
        let rows = rows.map_err(|error| wrong(&error))?;
        if rows.is_empty() {
            return Err(wrong(
                &"it has no user: write one in each row after the first",
            ));
        }
        Ok(Users { columns, rows })
    }
}

impl Users {
    /// The number of users, at least 1.
    pub fn count(&self) -> u64 {
        self.rows.len() as u64
    }

    /// The values of the user of the connection with this index among all.
    pub fn of(&self, connection: u64) -> &StringRecord {
        let row = usize::try_from(connection % self.count()).expect("below a length");
        &self.rows[row]
    }
}

#[cfg(test)]
#[path = "tests/users.rs"]
mod tests;
