//! Packets and their attachments: Socket.IO protocol, version 5, "Packet encoding".

use autostrada_proto::socket_io::{Assembled, Assembler, PacketError, PacketKind};

const TWO: &[u8] = b"52-/admin,7[\"bin\",{\"_placeholder\":true,\"num\":0},\
    {\"deep\":{\"x\":[{\"num\":1,\"_placeholder\":true}]}}]";

fn bounded() -> Assembler {
    Assembler::new(3, 300)
}

/// The attachments of a packet that must be complete.
fn attachments(whole: Option<Assembled<'_>>) -> Vec<Vec<u8>> {
    let attachments = whole.expect("the packet is complete").attachments;
    (0..)
        .map_while(|num| attachments.get(num))
        .map(<[u8]>::to_vec)
        .collect()
}

#[test]
fn packets_without_attachments_are_returned_immediately() {
    let mut assembler = bounded();
    for text in [
        "0",
        "1/admin,",
        "2[\"foo\"]",
        "312[]",
        "4{\"message\":\"no\"}",
    ] {
        let whole = assembler.receive_text(text.as_bytes()).unwrap();
        assert_eq!(attachments(whole), Vec::<Vec<u8>>::new());
    }
}

#[test]
fn a_packet_is_returned_after_its_last_attachment() {
    let mut assembler = bounded();
    for _ in 0..2 {
        assert!(assembler.receive_text(TWO).unwrap().is_none());
        assert!(
            assembler
                .receive_binary(b"\x01\x02\x03\xff")
                .unwrap()
                .is_none()
        );
        let whole = assembler.receive_binary(b"zwei").unwrap().unwrap();
        assert_eq!(whole.packet.namespace, "/admin");
        let PacketKind::Event { ack_id, data } = whole.packet.kind else {
            panic!("{whole:?}");
        };
        assert_eq!(ack_id, Some(7));
        assert_eq!(data.event_name().unwrap(), "bin");
        assert_eq!(
            attachments(Some(whole)),
            [b"\x01\x02\x03\xff".to_vec(), b"zwei".to_vec()]
        );
        let ack = b"61-/admin,1[{\"_placeholder\":true,\"num\":0}]";
        assert!(assembler.receive_text(ack).unwrap().is_none());
        let whole = assembler.receive_binary(b"").unwrap();
        assert_eq!(attachments(whole), [b""]);
    }
}

#[test]
fn messages_out_of_order_are_errors() {
    let mut idle = bounded();
    let error = idle.receive_binary(b"a").unwrap_err();
    assert!(matches!(error, PacketError::UnexpectedAttachment));
    let mut waiting = bounded();
    waiting.receive_text(TWO).unwrap();
    waiting.receive_binary(b"a").unwrap();
    let error = waiting.receive_text(b"2[\"a\"]").unwrap_err();
    assert!(matches!(error, PacketError::TextForAttachment));
    waiting.receive_binary(b"b").unwrap().unwrap();
    let error = waiting.receive_binary(b"c").unwrap_err();
    assert!(matches!(error, PacketError::UnexpectedAttachment));
}

#[test]
fn counts_and_bytes_are_limited() {
    let error = bounded().receive_text(b"54-[\"a\"]").unwrap_err();
    assert!(matches!(error, PacketError::TooManyAttachments));
    let error = bounded()
        .receive_text(format!("5{}-[\"a\"]", u64::MAX).as_bytes())
        .unwrap_err();
    assert!(matches!(error, PacketError::TooManyAttachments));
    assert!(bounded().receive_text(b"53-[\"a\"]").unwrap().is_none());

    let long = format!("2[\"{}\"]", "a".repeat(296));
    assert!(matches!(
        bounded().receive_text(long.as_bytes()),
        Err(PacketError::TooLong)
    ));
    assert!(
        bounded()
            .receive_text(&long.replacen('a', "", 1).into_bytes())
            .is_ok()
    );
    for (last, is_allowed) in [
        (300 - TWO.len() - 100, true),
        (301 - TWO.len() - 100, false),
    ] {
        let mut assembler = bounded();
        assembler.receive_text(TWO).unwrap();
        assembler.receive_binary(&[0; 100]).unwrap();
        let result = assembler.receive_binary(&vec![0; last]);
        assert_eq!(result.is_ok(), is_allowed, "{last}");
    }
}

#[test]
fn a_placeholder_needs_its_attachment() {
    for arguments in [
        "{\"_placeholder\":true,\"num\":1}",
        "{\"_placeholder\":true,\"num\":-1}",
        "{\"_placeholder\":true,\"num\":0.5}",
        "{\"_placeholder\":true,\"num\":\"0\"}",
        "{\"_placeholder\":true,\"num\":18446744073709551616}",
        "{\"_placeholder\":true}",
        "[{\"a\":[{\"num\":7,\"_placeholder\":true}]}]",
        &format!("{}1{}", "[".repeat(200), "]".repeat(200)),
        &format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200)),
    ] {
        let text = format!("51-[\"a\",{arguments}]");
        let mut assembler = Assembler::new(3, 10_000);
        let error = assembler.receive_text(text.as_bytes()).unwrap_err();
        assert!(matches!(error, PacketError::Placeholder(_)), "{arguments}");
        assert!(std::error::Error::source(&error).is_some());
    }
    for arguments in [
        "{\"_placeholder\":true,\"num\":0}",
        "{\"_placeholder\":false,\"num\":9}",
        "{\"placeholder\":true,\"num\":9}",
        "[{\"num\":9},{\"_placeholder\":1},null,1e9,-1,\"_placeholder\",{}]",
    ] {
        let text = format!("51-[\"a\",{arguments}]");
        assert!(
            bounded().receive_text(text.as_bytes()).is_ok(),
            "{arguments}"
        );
    }
}
