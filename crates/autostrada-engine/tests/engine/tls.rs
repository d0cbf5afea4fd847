//! TLS on both sides: verification, negotiation and errors.

use std::net::SocketAddr;
use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use serde_json::{Value, json};

use crate::process::{Engine, assert_fields, push};

/// Files of a certificate authority and a server, removed when dropped.
pub struct Certificates {
    folder: PathBuf,
}

impl Certificates {
    pub fn new(name: &str) -> Self {
        Self::until(name, 4096)
    }

    /// A server whose certificate is no longer valid.
    pub fn expired(name: &str) -> Self {
        Self::until(name, 2000)
    }

    fn until(name: &str, year: i32) -> Self {
        let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut authority = CertificateParams::new(vec![]).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut server = CertificateParams::new(names).unwrap();
        server.not_after = date_time_ymd(year, 1, 1);
        let server = server.signed_by(&key, &authority).unwrap();
        std::fs::write(folder.join("ca.pem"), authority.pem()).unwrap();
        std::fs::write(folder.join("server.pem"), server.pem()).unwrap();
        std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
        Self { folder }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn serve(&self) -> (Engine, SocketAddr) {
        Engine::serve(&push(&json!({"tls": {
            "certificate_file": self.file("server.pem"), "key_file": self.file("key.pem"),
        }})))
    }
}

impl Drop for Certificates {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn echo(address: SocketAddr, tls: &Value) -> Value {
    Engine::load(&json!({
        "format": 2, "url": format!("wss://{address}/echo"), "tls": tls, "connections": 2,
        "workload": {"kind": "echo", "phases": {"window_s": 0.1}},
    }))
    .complete()
}

fn assert_echoes(result: &Value) {
    assert_eq!(result["failures"], json!([]), "{result}");
    assert!(result["exchange"]["echoed"].as_u64().unwrap() > 0);
    assert!(!result["connect_tls_time_ns"].as_array().unwrap().is_empty());
}

#[test]
fn a_certificate_of_a_trusted_authority_is_accepted() {
    let certificates = Certificates::new("trusted");
    let (_server, address) = certificates.serve();
    let ca_file = certificates.file("ca.pem");
    assert_echoes(&echo(address, &json!({"ca_file": ca_file})));
    let old = echo(address, &json!({"ca_file": ca_file, "version": "1.2"}));
    assert_echoes(&old);
    assert_eq!(old["tls"]["version"], "1.2");
    let suite = json!({"ca_file": ca_file, "cipher_suite": "TLS_AES_128_GCM_SHA256"});
    let chosen = echo(address, &suite);
    assert_echoes(&chosen);
    assert_eq!(
        chosen["tls"],
        json!({
            "version": "1.3", "cipher_suite": "TLS_AES_128_GCM_SHA256", "resumed": 0,
        })
    );
    let resumed = json!({"ca_file": ca_file, "resumption": true});
    assert_echoes(&echo(address, &resumed));
}

#[test]
fn an_unknown_certificate_is_refused_unless_verification_is_disabled() {
    let certificates = Certificates::new("unknown");
    let (_server, address) = certificates.serve();
    let result = echo(address, &json!({}));
    assert_eq!(result["connections"], 0);
    let failure = &result["failures"][0];
    assert_fields(failure, &json!({"kind": "tls", "count": 2}));
    assert!(failure["example"].as_str().unwrap().contains("certificate"));
    assert_echoes(&echo(address, &json!({"insecure": true})));
}

#[test]
fn a_certificate_must_match_the_server_name() {
    let certificates = Certificates::new("named");
    let (_server, address) = certificates.serve();
    let ca_file = certificates.file("ca.pem");
    let other = json!({"ca_file": ca_file, "server_name": "example.org"});
    assert_eq!(echo(address, &other)["failures"][0]["kind"], "tls");
    let own = json!({"ca_file": ca_file, "server_name": "localhost"});
    assert_echoes(&echo(address, &own));
}

#[test]
fn a_push_over_tls_is_complete() {
    let certificates = Certificates::new("pushed");
    let (mut server, address) = certificates.serve();
    let received = Engine::load(&json!({
        "format": 2, "url": format!("wss://{address}/300000"),
        "tls": {"ca_file": certificates.file("ca.pem")},
        "workload": {
            "kind": "receive", "messages": 300_000, "payload": {"text": "hello world"},
        },
    }))
    .complete();
    assert_fields(&received, &json!({"messages": 300_000, "wrong": 0}));
    assert_eq!(received["ended"], "complete");
    let sent = server.result();
    assert_fields(&sent, &json!({"messages": 300_000, "ended": "complete"}));
    assert_eq!(sent["acknowledged_bytes"], Value::Null);
}

#[test]
fn invalid_tls_settings_are_refused_in_one_line() {
    let certificates = Certificates::new("wrong");
    for (tls, word) in [
        (json!({"cipher_suite": "ROT13"}), "available: TLS_AES"),
        (json!({"version": "1.1"}), "1.2, 1.3"),
        (
            json!({"ca_file": certificates.file("none.pem")}),
            "none.pem",
        ),
        (
            json!({"ca_file": certificates.file("key.pem")}),
            "no certificate",
        ),
    ] {
        let line = Engine::load(&json!({
            "format": 2, "url": "wss://127.0.0.1:1/", "tls": tls,
            "workload": {"kind": "echo", "phases": {"window_s": 1}},
        }))
        .refusal();
        assert!(line.contains(word), "{line}");
    }
}
