//! A way to a server over the network of this machine, which can be cut.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::{oneshot, watch};

use crate::{Server, url_at};

/// A port of the loopback that leads to a server. While it is cut nothing comes through in either direction, and nobody is told:
/// connections stay open, and what was sent comes when it is mended, as on a network.
#[derive(Debug)]
pub struct Wire {
    address: SocketAddr,
    is_cut: watch::Sender<bool>,
    _open: oneshot::Sender<()>,
}

/// What a way leads to.
#[derive(Clone)]
enum Target {
    Socket(PathBuf),
    Address(SocketAddr),
}

impl Wire {
    /// Opens a port before a server without TLS.
    ///
    /// # Panics
    /// Where there is no free port.
    pub fn to(server: &Server) -> Self {
        let socket = || Target::Socket(server.socket.join(".s.PGSQL.5432"));
        Self::open(server.address().map_or_else(socket, Target::Address))
    }

    /// Opens a port before whatever listens at this address, now or later.
    ///
    /// # Panics
    /// Where there is no free port.
    pub fn to_address(address: SocketAddr) -> Self {
        Self::open(Target::Address(address))
    }

    fn open(target: Target) -> Self {
        let (open, closed) = oneshot::channel::<()>();
        let (is_cut, cut) = watch::channel(false);
        let (ready, address) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a free port");
                ready.send(listener.local_addr().expect("an address")).expect("somebody waits for the address");
                tokio::select! {
                    () = serve(&listener, &target, &cut) => {}
                    _ = closed => {}
                }
            });
        });
        Self { address: address.recv().expect("the port is open"), is_cut, _open: open }
    }

    /// Where the way begins.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the server's database over this way.
    pub fn url(&self) -> String {
        url_at(self.address)
    }

    /// Lets nothing through from now on.
    pub fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    /// Lets through what was sent meanwhile, and what comes.
    pub fn mend(&self) {
        self.is_cut.send_replace(false);
    }
}

async fn serve(listener: &TcpListener, target: &Target, cut: &watch::Receiver<bool>) {
    while let Ok((client, _)) = listener.accept().await {
        let (target, cut) = (target.clone(), cut.clone());
        tokio::spawn(async move {
            match target {
                Target::Socket(socket) => {
                    let Ok(server) = UnixStream::connect(socket).await else { return };
                    join(client, server, cut).await;
                }
                Target::Address(address) => {
                    let Ok(server) = TcpStream::connect(address).await else { return };
                    // What is small is not held back, as it would not be without this way in between.
                    if client.set_nodelay(true).and_then(|()| server.set_nodelay(true)).is_ok() {
                        join(client, server, cut).await;
                    }
                }
            }
        });
    }
}

/// Carries bytes between two connections until one of them is closed, which closes the other.
async fn join(client: TcpStream, server: impl AsyncRead + AsyncWrite, cut: watch::Receiver<bool>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let (mut one, mut other) = (cut.clone(), cut);
    tokio::select! {
        _ = carry(&mut from_client, &mut to_server, &mut one) => {}
        _ = carry(&mut from_server, &mut to_client, &mut other) => {}
    }
}

/// Carries bytes, as long as nothing is cut.
async fn carry(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    cut: &mut watch::Receiver<bool>,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 << 10];
    loop {
        let read = from.read(&mut buffer).await?;
        if cut.wait_for(|cut| !cut).await.is_err() || read == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..read]).await?;
    }
}
