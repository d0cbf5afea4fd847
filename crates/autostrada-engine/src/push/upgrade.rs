//! The answer to an opening handshake: what the path asks for.

use autostrada_proto::handshake::server::Request;

/// What a client wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// `/N`: so many messages.
    Push(u64),
    /// `/echo`: every message back.
    Echo,
}

/// What a request has come to; the response is written already.
#[derive(Debug, PartialEq, Eq)]
pub enum Upgrade {
    /// More bytes must come.
    Incomplete,
    /// The connection is open.
    Accepted {
        /// The length of the request.
        consumed_bytes: usize,
        /// What the client asked for.
        route: Route,
    },
    /// It is no request for anything that is served.
    Refused,
}

/// Reads a request, and appends the response to it to `response`.
pub fn answer_request(input: &[u8], response: &mut Vec<u8>) -> Upgrade {
    let request = match Request::decode(input) {
        Ok(Some(request)) => request,
        Ok(None) => return Upgrade::Incomplete,
        Err(rejection) => {
            crate::log(&format!("refused a client: {rejection}"));
            rejection.encode_response(response);
            return Upgrade::Refused;
        }
    };
    let Some(route) = route(&request.path) else {
        crate::log(&format!(
            "refused a client: no number of messages in {:?}",
            request.path
        ));
        encode_not_found(response);
        return Upgrade::Refused;
    };
    request.encode_response(response);
    Upgrade::Accepted {
        consumed_bytes: request.consumed_bytes,
        route,
    }
}

/// The route of a path; leading slashes may be several, as when a base URL ends with one.
fn route(path: &str) -> Option<Route> {
    let name = path.trim_start_matches('/');
    if name == "echo" {
        return Some(Route::Echo);
    }
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    let messages = name.parse().ok().filter(|_| is_number)?;
    Some(Route::Push(messages))
}

fn encode_not_found(response: &mut Vec<u8>) {
    let body = "connect to /N, where N is the number of messages to receive, or to /echo\n";
    let head = format!(
        "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Type: text/plain\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    response.extend_from_slice(head.as_bytes());
    response.extend_from_slice(body.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str) -> Vec<u8> {
        format!(
            "GET {path} HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        .into_bytes()
    }

    #[test]
    fn the_path_is_the_number_of_messages() {
        let mut response = Vec::new();
        let Upgrade::Accepted {
            consumed_bytes,
            route,
        } = answer_request(&request("/1000000"), &mut response)
        else {
            panic!("refused");
        };
        assert_eq!(
            (consumed_bytes, route),
            (request("/1000000").len(), Route::Push(1_000_000))
        );
        assert!(response.starts_with(b"HTTP/1.1 101 "));
    }

    #[test]
    fn any_other_path_is_refused_with_the_remedy() {
        for path in ["/", "/x", "/-1", "/+1", "/1?x", "/99999999999999999999"] {
            let mut response = Vec::new();
            assert_eq!(
                answer_request(&request(path), &mut response),
                Upgrade::Refused,
                "{path}"
            );
            let text = String::from_utf8(response).unwrap();
            assert!(
                text.starts_with("HTTP/1.1 404 ") && text.contains("connect to /N"),
                "{text}"
            );
        }
    }

    #[test]
    fn half_a_request_asks_for_more_and_nonsense_is_refused() {
        let whole = request("/5");
        let mut response = Vec::new();
        assert_eq!(
            answer_request(&whole[..50], &mut response),
            Upgrade::Incomplete
        );
        assert!(response.is_empty());
        assert_eq!(
            answer_request(b"hello\r\n\r\n", &mut response),
            Upgrade::Refused
        );
        assert!(response.starts_with(b"HTTP/1.1 400 "));
    }
}
