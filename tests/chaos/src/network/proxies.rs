//! Ways of a process through proxies of the test, which hold back what is sent while they are cut.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use graphloom_postgres_server::{KeptPort, Wire};

use super::Listening;

/// The ways from and to a process, all of which are cut together, and the ports on which it listens.
#[derive(Debug, Default)]
pub(super) struct Ways {
    wires: Mutex<Vec<Wire>>,
    ports: Mutex<Vec<KeptPort>>,
}

impl Ways {
    pub(super) fn way_to(&self, server: SocketAddr) -> SocketAddr {
        let wire = Wire::to_address(server);
        let begins = wire.address();
        self.wires.lock().unwrap_or_else(PoisonError::into_inner).push(wire);
        begins
    }

    pub(super) fn listening(&self) -> Listening {
        let port = KeptPort::new(Ipv4Addr::LOCALHOST.into());
        let at = port.address();
        self.ports.lock().unwrap_or_else(PoisonError::into_inner).push(port);
        Listening { at, reached_at: self.way_to(at) }
    }

    pub(super) fn cut(&self) {
        self.wires.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Wire::cut);
    }

    pub(super) fn mend(&self) {
        self.wires.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Wire::mend);
    }
}
