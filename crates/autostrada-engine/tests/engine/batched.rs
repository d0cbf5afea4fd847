//! `load` on many connections, with and without system calls in batches.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use serde_json::{Value, json};

use crate::process::{Engine, push};

/// Lets a program start in which the kernel forbids `io_uring(7)`, as in many containers.
fn forbid_batches(program: &mut Command) {
    // SAFETY: between fork and exec, the function only makes system calls.
    unsafe { program.pre_exec(refuse_rings) };
}

/// Makes `io_uring_setup(2)` of this process fail (`seccomp(2)`).
fn refuse_rings() -> io::Result<()> {
    let instruction = |code: u32, jf: u8, k: u32| libc::sock_filter {
        code: u16::try_from(code).expect("codes have 16 bits"),
        jt: 0,
        jf,
        k,
    };
    let number = u32::try_from(libc::SYS_io_uring_setup).expect("numbers are small");
    let refused = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
    let mut instructions = [
        // The number of the system call is the first field of `seccomp_data`.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, number),
        instruction(libc::BPF_RET | libc::BPF_K, 0, refused),
        instruction(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog {
        len: u16::try_from(instructions.len()).expect("a short program"),
        filter: instructions.as_mut_ptr(),
    };
    // SAFETY: the filter lives until the calls return.
    let is_refused = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER,
                &raw const filter,
            ) == 0
    };
    if is_refused {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Echoes texts of a size on many connections, whose sockets have these settings at both ends.
#[track_caller]
fn assert_echoes(message_bytes: usize, tcp: &Value, prepare: fn(&mut Command)) {
    let (_server, address) = Engine::serve(&push(&json!({"tcp": tcp})));
    let mut program = Command::new(env!("CARGO_BIN_EXE_autostrada-engine"));
    prepare(&mut program);
    let mut client = Engine::start_by(&mut program, &["load", "--plan", "-"]);
    client.send(&json!({
        "format": 2,
        "url": format!("ws://{address}/echo"),
        "connections": 50,
        "tcp": tcp,
        "workload": {
            "kind": "echo", "window": 3, "payload": {"text": "T".repeat(message_bytes)},
            "phases": {"warm_up_s": 0, "window_s": 0.3, "drain_s": 60},
        },
    }));
    let result = client.complete();
    assert_eq!(result["failures"], json!([]));
    let exchange = &result["exchange"];
    let echoed = exchange["echoed"].as_u64().unwrap();
    assert!(echoed >= 100, "{exchange}");
    assert_eq!(exchange["sent"], echoed, "{exchange}");
    assert_eq!(result["wrong"], 0);
}

#[test]
fn short_messages_are_echoed() {
    assert_echoes(20, &json!({}), |_| ());
}

#[test]
fn messages_longer_than_a_read_of_a_batch_are_complete() {
    assert_echoes(5_000, &json!({}), |_| ());
}

#[test]
fn messages_longer_than_a_batch_are_complete() {
    assert_echoes(100_000, &json!({}), |_| ());
}

#[test]
fn messages_that_a_socket_takes_in_parts_are_complete() {
    let small = json!({"send_buffer_bytes": 4608, "receive_buffer_bytes": 4608});
    assert_echoes(20_000, &small, |_| ());
}

#[test]
fn the_kernel_may_forbid_batches() {
    assert_echoes(20, &json!({}), forbid_batches);
}
