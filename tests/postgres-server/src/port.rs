//! A port for a program that is given its number.

use std::net::{IpAddr, SocketAddr};

use socket2::{Domain, Protocol, Socket, Type};

/// A port that nobody listens on, and that the system gives nobody else as long as this is kept. A program can listen on it that allows,
/// as most servers do, that its address is used again (`SO_REUSEADDR`).
#[derive(Debug)]
pub struct KeptPort {
    address: SocketAddr,
    _kept: Socket,
}

impl KeptPort {
    /// Keeps a port of this address.
    ///
    /// # Panics
    /// Where there is no free port.
    pub fn new(address: IpAddr) -> Self {
        let keep = || {
            let any = SocketAddr::new(address, 0);
            let kept = Socket::new(Domain::for_address(any), Type::STREAM, Some(Protocol::TCP))?;
            kept.set_reuse_address(true)?;
            // Processes that share an address (`SO_REUSEPORT`) can listen on it, too.
            kept.set_reuse_port(true)?;
            kept.bind(&any.into())?;
            let address = kept.local_addr()?.as_socket().unwrap_or(any);
            Ok::<_, std::io::Error>(Self { address, _kept: kept })
        };
        keep().expect("a free port")
    }

    /// The address with the port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
