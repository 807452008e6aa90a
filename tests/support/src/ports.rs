//! Ports of this machine.

use std::net::{SocketAddr, TcpListener};

/// How many ports are tried before a program that cannot listen is taken for broken.
const TRIES: usize = 20;

/// An address at which nothing listens and nothing else can, for as long as this is held.
#[derive(Debug)]
pub struct Deserted {
    /// The address.
    pub address: SocketAddr,
    _bound: tokio::net::TcpSocket,
}

impl Deserted {
    /// An address that nobody else has. A socket is bound to it that does not listen.
    ///
    /// # Panics
    /// When there is no port left.
    pub fn new() -> Self {
        let bound = tokio::net::TcpSocket::new_v4().expect("a socket");
        bound.bind(SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
        let address = bound.local_addr().expect("its address");
        Self { address, _bound: bound }
    }
}

impl Default for Deserted {
    fn default() -> Self {
        Self::new()
    }
}

/// Starts a program that must be given ports and cannot choose them itself. `start` gives nothing where the program did not
/// get to listen: between the choice of a port and its use another program may take it, and then other ports are tried.
///
/// # Panics
/// When the program never gets to listen.
pub fn on_free_ports<const PORTS: usize, T>(mut start: impl FnMut([u16; PORTS]) -> Option<T>) -> T {
    let free = || {
        // All are held until the last one is chosen, so that no two are the same.
        let listeners = [(); PORTS].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
        listeners.map(|listener| listener.local_addr().expect("its address").port())
    };
    (0..TRIES).find_map(|_| start(free())).expect("a program listens at free ports")
}
