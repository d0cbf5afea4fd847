//! The engine as a process on real sockets: plans, output lines and exit status.

mod answer;
mod exchange;
mod hostile;
mod hostile_socket_io;
mod live_display;
mod load;
mod load_options;
mod observe;
mod observe_figures;
mod observe_sockets;
mod plan;
mod probe;
mod process;
mod raw_client;
mod raw_server;
mod serve;
mod serve_faults;
mod serve_feed;
mod serve_misuse;
mod serve_protocols;
mod serve_threads;
mod socket_io_2;
mod timing;
mod tls;
mod violations;
mod watched;
