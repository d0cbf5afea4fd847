//! Tests of `transport.rs`.

use super::*;

#[test]
fn cookies_and_subprotocols_are_fields() {
    let plan: RequestPlan = serde_json::from_str(
        r#"{"headers": {"X-A": "b"}, "cookies": {"c": "1", "d": "2"}, "subprotocols": ["x", "y"]}"#,
    )
    .unwrap();
    let fields = plan.fields(Some("permessage-deflate".to_owned()));
    let fields: Vec<_> = fields.iter().map(|(k, v)| format!("{k}: {v}")).collect();
    assert_eq!(
        fields,
        [
            "X-A: b",
            "Cookie: c=1; d=2",
            "Sec-WebSocket-Protocol: x, y",
            "Sec-WebSocket-Extensions: permessage-deflate",
        ]
    );
}

#[test]
fn an_offer_has_the_planned_parameters() {
    for (json, offer) in [
        ("{}", "permessage-deflate; client_max_window_bits"),
        (
            r#"{"server_no_context_takeover": true, "client_max_window_bits": 10}"#,
            "permessage-deflate; server_no_context_takeover; client_max_window_bits=10",
        ),
    ] {
        let plan: CompressionPlan = serde_json::from_str(json).unwrap();
        assert_eq!(plan.offer().unwrap().to_string(), offer);
    }
}

#[test]
fn a_key_of_another_protocol_is_refused() {
    for json in [
        r#"{"kind": "websocket", "event": "x"}"#,
        r#"{"kind": "framed-tcp", "namespace": "/x"}"#,
    ] {
        assert!(
            serde_json::from_str::<ProtocolPlan>(json).is_err(),
            "{json}"
        );
    }
}

#[test]
fn settings_of_socket_io_that_cannot_be_are_refused() {
    for json in [
        r#"{"kind": "socket-io", "event": "connect"}"#,
        r#"{"kind": "socket-io", "namespace": "x"}"#,
        r#"{"kind": "socket-io", "engine_io_version": 2}"#,
        r#"{"kind": "socket-io", "engine_io_version": 5}"#,
        r#"{"kind": "socket-io", "engine_io_version": 3, "transport": "polling"}"#,
        r#"{"kind": "socket-io", "engine_io_version": 3, "auth": "{}"}"#,
    ] {
        let plan: ProtocolPlan = serde_json::from_str(json).unwrap();
        assert!(plan.check().is_err(), "{json}");
    }
}
