//! The routes of the server.

/// The service that a path selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// `/N`: send N messages.
    Push(u64),
    /// `/echo`: send every message back.
    Echo,
    /// `/feed`: subscribe to the feed.
    Feed,
}

impl Route {
    /// Returns the route of a path, or `None` if there is no such route.
    ///
    /// Accepts several leading slashes, which result from a base URL that ends with one.
    pub fn from_path(path: &str, has_feed: bool) -> Option<Self> {
        let name = path.trim_start_matches('/');
        match name {
            "echo" => return Some(Self::Echo),
            "feed" if has_feed => return Some(Self::Feed),
            _ => {}
        }
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        name.parse().ok().filter(|_| is_number).map(Self::Push)
    }

    /// Returns the text of the answer to a request for any other path.
    pub fn remedy(has_feed: bool) -> &'static str {
        if has_feed {
            "connect to /N, where N is the number of messages to receive, to /echo, or to /feed"
        } else {
            "connect to /N, where N is the number of messages to receive, or to /echo"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_number_of_messages_or_a_name() {
        for (path, route) in [
            ("/1000000", Route::Push(1_000_000)),
            ("//7", Route::Push(7)),
            ("/echo", Route::Echo),
            ("/feed", Route::Feed),
        ] {
            assert_eq!(Route::from_path(path, true), Some(route), "{path}");
        }
    }

    #[test]
    fn any_other_path_is_none() {
        for path in [
            "/",
            "",
            "/x",
            "/-1",
            "/+1",
            "/1?x",
            "/99999999999999999999",
            "/feeds",
        ] {
            assert_eq!(Route::from_path(path, true), None, "{path}");
        }
        assert_eq!(Route::from_path("/feed", false), None);
        assert!(!Route::remedy(false).contains("/feed"));
    }
}
