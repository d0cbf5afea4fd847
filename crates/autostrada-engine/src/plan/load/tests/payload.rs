//! Tests of `payload.rs`.

use super::*;

fn plan(json: &str) -> PayloadPlan {
    serde_json::from_str(json).unwrap()
}

#[test]
fn each_source_has_its_usual_kind() {
    for (json, kind) in [
        (r#"{"text": "a"}"#, MessageKind::Text),
        (r#"{"base64": "AAE="}"#, MessageKind::Binary),
        (r#"{"random_bytes": 3}"#, MessageKind::Binary),
        (r#"{"random_bytes": 3, "type": "text"}"#, MessageKind::Text),
        (r#"{"text": "a", "type": "binary"}"#, MessageKind::Binary),
    ] {
        let plan = plan(json);
        assert_eq!(plan.kind(), kind, "{json}");
        plan.source().unwrap();
    }
    let source = plan(r#"{"base64": "AAE="}"#).source().unwrap();
    assert_eq!(source, Source::Given(vec![vec![0, 1]]));
}

#[test]
fn each_line_or_chunk_of_a_file_is_a_message() {
    let path = std::env::temp_dir().join(format!("payload-{}", std::process::id()));
    for (text, lines) in [
        (&b"a\nbb\r\n\nc"[..], vec![&b"a"[..], b"bb", b"", b"c"]),
        (b"\n", vec![b""]),
        (b"x\n", vec![b"x"]),
    ] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(read_lines(&path).unwrap(), lines);
    }
    std::fs::write(&path, b"12345678").unwrap();
    assert_eq!(read_chunks(&path, 3).unwrap(), [&b"123"[..], b"456", b"78"]);
    std::fs::write(&path, b"").unwrap();
    let error = read_lines(&path).unwrap_err();
    assert!(error.to_string().contains("per line"), "{error}");
    assert!(read_chunks(&path, 3).is_err());
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn what_cannot_be_sent_is_refused_with_the_remedy() {
    for (json, remedy) in [
        ("{}", "exactly one of text"),
        (r#"{"text": "a", "random_bytes": 3}"#, "one of text"),
        (r#"{"base64": "!"}"#, "base64"),
        (r#"{"base64": "/w==", "type": "text"}"#, "binary"),
        (r#"{"file": "/nowhere"}"#, "/nowhere"),
        (r#"{"text": "a", "chunk_bytes": 3}"#, "needs file"),
        (r#"{"file": "/dev/null", "chunk_bytes": 0}"#, "at least 1"),
    ] {
        let error = plan(json).source().unwrap_err().to_string();
        assert!(error.contains(remedy), "{json}: {error}");
    }
}
