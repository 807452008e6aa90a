//! Ways of a process through proxies of the test, which hold back what is sent while they are cut.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};

use graphloom_postgres_server::Wire;

use super::Listening;

/// The ways from and to a process, all of which are cut together.
#[derive(Debug, Default)]
pub(super) struct Ways(Mutex<Vec<Wire>>);

impl Ways {
    pub(super) fn way_to(&self, server: SocketAddr) -> SocketAddr {
        let wire = Wire::to_address(server);
        let begins = wire.address();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(wire);
        begins
    }

    pub(super) fn listening(&self) -> Listening {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|held| held.local_addr());
        let at = free.expect("a free port");
        Listening { at, reached_at: self.way_to(at) }
    }

    pub(super) fn cut(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Wire::cut);
    }

    pub(super) fn mend(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Wire::mend);
    }
}
