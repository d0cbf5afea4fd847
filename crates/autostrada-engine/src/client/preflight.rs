//! Checks descriptors, ports and memory before the first connection, and resolves the target.

use std::net::IpAddr;

use anyhow::Context;
use autostrada_net::tls::{ClientTls, configure_server};
use autostrada_net::{Endpoint, Listener, SocketOptions, limits};

use super::connection::{Accepting, Target};
use super::plan::{EndPlan, LoadPlan};
use crate::plan::{PlanError, Url};

/// The kernel finds a free port quickly while fewer than one port in this many is taken.
const QUICK_PORTS_PART: u64 = 3;

/// Up to this many connections, the search for free ports is never slow enough to warn about.
const PORTS_FEW: u64 = 10_000;

/// Minimum memory of an idle connection: of the engine, and of the kernel for both ends if the
/// server runs on this machine.
const PLAIN_BYTES: u64 = 6 * 1024;

/// Memory that TLS adds to a connection, on the client's side.
const TLS_BYTES: u64 = 5 * 1024;

/// Memory that decompression adds to a connection from its first compressed message on
/// (`autostrada_proto::deflate`).
const INFLATER_BYTES: u64 = 48 * 1024;

/// Memory that compression with context takeover adds to a connection from its first compressed
/// message on.
const DEFLATER_BYTES: u64 = 380 * 1024;

/// Congestion control of connections that do not leave this machine. It sends at once, needs the
/// least CPU time, and every kernel has it.
const LOOPBACK_CONGESTION_CONTROL: &str = "reno";

/// Checks that descriptors, ports and memory suffice for all connections to a target; returns whether
/// each thread needs its own descriptor table.
pub fn check(plan: &LoadPlan, url: &Url, target: &Target) -> anyhow::Result<bool> {
    let sockets_each = 1 + u64::from(plan.protocol.is_polling());
    let sockets = plan.shares().connections() * sockets_each;
    let needs_own_tables = check_descriptors(plan, sockets)?;
    if url.socket.is_none() && plan.end == EndPlan::Client {
        check_ports(plan, sockets, target.sources.len().max(1) as u64)?;
    }
    check_memory(plan, url, sockets)?;
    Ok(needs_own_tables)
}

fn check_descriptors(plan: &LoadPlan, sockets: u64) -> anyhow::Result<bool> {
    let limit = limits::raise_descriptor_limit().context("cannot raise the limit of open files")?;
    let usable = limit.saturating_sub(limits::RESERVED_DESCRIPTORS).max(1);
    if sockets.div_ceil(plan.threads as u64) > usable {
        let threads = sockets.div_ceil(usable);
        return Err(PlanError::new(format!(
            "{sockets} connections need more than the {limit} open files that a thread may \
             have: use {threads} threads, or raise the limit (ulimit -n)"
        ))
        .into());
    }
    Ok(sockets > usable)
}

fn check_ports(plan: &LoadPlan, sockets: u64, sources: u64) -> anyhow::Result<()> {
    let ports = limits::ports_per_source().context("cannot read the number of ports")?;
    let quick_ports = ports.div_ceil(QUICK_PORTS_PART);
    let needed = sockets.div_ceil(quick_ports);
    let remedy = if plan.all_source_addresses {
        format!("give the interface {needed} addresses instead of {sources}")
    } else {
        format!(
            "set {needed} \"source_addresses\" (--source, auto for all of this machine), on \
             loopback 127.0.0.2, 127.0.0.3, …"
        )
    };
    if sockets > ports * sources {
        return Err(PlanError::new(format!(
            "{sockets} connections need more than the {ports} ports of a source address: {remedy}"
        ))
        .into());
    }
    if sockets > (quick_ports * sources).max(PORTS_FEW) {
        crate::log(&format!(
            "{sockets} connections use many of the {ports} ports of a source address, and the \
             kernel is slow to find a free one: {remedy}"
        ));
    }
    Ok(())
}

fn check_memory(plan: &LoadPlan, url: &Url, sockets: u64) -> anyhow::Result<()> {
    let mut bytes_each = PLAIN_BYTES;
    if url.is_encrypted {
        bytes_each += TLS_BYTES;
    }
    if let Some(compression) = &plan.compression {
        bytes_each += INFLATER_BYTES;
        if plan.workload.plan().sends() && compression.takes_over_context() {
            bytes_each += DEFLATER_BYTES;
        }
    }
    let needed_bytes = sockets.saturating_mul(bytes_each);
    let available_bytes =
        limits::available_memory_bytes().context("cannot read the available memory")?;
    if needed_bytes > available_bytes {
        return Err(PlanError::new(format!(
            "{sockets} connections need about {} MiB of memory, and {} MiB are available: plan at \
             most {} connections",
            needed_bytes >> 20,
            available_bytes >> 20,
            available_bytes / bytes_each
        ))
        .into());
    }
    Ok(())
}

/// Resolves the address of the server and prepares TLS and the socket options.
pub fn target(plan: &LoadPlan, url: &Url) -> anyhow::Result<Target> {
    let tls = if url.is_encrypted && plan.end == EndPlan::Client {
        let wanted = ClientTls {
            insecure: plan.tls.insecure,
            ca_file: plan.tls.ca_file.clone(),
            own_certificate: plan.tls.own_certificate()?,
            version: plan.tls.version.clone(),
            cipher_suite: plan.tls.cipher_suite.clone(),
            resumption: plan.tls.resumption,
        };
        let config = wanted
            .configure()
            .map_err(|error| PlanError::new(format!("tls: {error}")))?;
        let name = plan.tls.server_name.as_deref().unwrap_or(url.host());
        Some((config, name.to_owned()))
    } else {
        None
    };
    let endpoint = plan.endpoint()?;
    let mut options = socket_options(plan);
    if endpoint.is_loopback() {
        let name = || LOOPBACK_CONGESTION_CONTROL.to_owned();
        options.congestion_control.get_or_insert_with(name);
    }
    let mut slow_options = options.clone();
    if let Some(bytes) = plan.workload.plan().slow_receive_buffer_bytes() {
        slow_options.receive_buffer_bytes = Some(bytes);
    }
    Ok(Target {
        sources: sources(plan, &endpoint)?,
        endpoint,
        tunnel: plan.tunnel()?,
        tls,
        options,
        slow_options,
    })
}

/// Returns the addresses to connect from; none if the kernel chooses.
fn sources(plan: &LoadPlan, endpoint: &Endpoint) -> Result<Vec<IpAddr>, PlanError> {
    let Endpoint::Tcp(server) = *endpoint else {
        return Ok(Vec::new());
    };
    if plan.all_source_addresses {
        return autostrada_net::source_addresses(server).map_err(|error| {
            PlanError::new(format!(
                "no address of this machine reaches {server} ({error}): check the network, or \
                 leave out --source auto"
            ))
        });
    }
    for source in &plan.source_addresses {
        autostrada_net::check_source(*source, server).map_err(|error| {
            PlanError::new(format!(
                "{source} is no address of this machine for connections to {server} ({error}): \
                 correct it, or use all that it has (--source auto)"
            ))
        })?;
    }
    Ok(plan.source_addresses.clone())
}

/// Listens at the URL of a plan in which the engine is the server; returns the socket, `None` as the
/// client, and the URL with its port.
pub fn accepting(plan: &LoadPlan, url: &Url) -> anyhow::Result<(Option<Accepting>, String)> {
    if plan.end == EndPlan::Client {
        return Ok((None, plan.url.clone()));
    }
    let address = plan.server_address()?;
    let tls = match plan.tls.own_certificate()? {
        Some((certificate, key)) if url.is_encrypted => {
            let config = configure_server(&certificate, &key);
            Some(config.map_err(|error| PlanError::new(format!("tls: {error}")))?)
        }
        _ => None,
    };
    let listener = Listener::bind(address, &socket_options(plan))
        .map_err(|error| PlanError::new(format!("cannot listen at {address}: {error}")))?;
    let scheme = if url.is_encrypted { "wss" } else { "ws" };
    let url = format!("{scheme}://{}{}", listener.local_address()?, url.path);
    Ok((Some(Accepting { listener, tls }), url))
}

fn socket_options(plan: &LoadPlan) -> SocketOptions {
    SocketOptions {
        no_delay: plan.tcp.no_delay,
        send_buffer_bytes: plan.tcp.send_buffer_bytes,
        receive_buffer_bytes: plan.tcp.receive_buffer_bytes,
        congestion_control: plan.tcp.congestion_control.clone(),
    }
}
