//! TLS in front of a server: certificates that only its test believes in, and whoever comes without TLS is sent away.
//!
//! PostgreSQL as some packages build it has no TLS of its own, so it is ended before the server, as poolers do it.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

/// What a client sends first when it wants TLS: the length of the message and the code 80877103 (PostgreSQL's protocol,
/// `SSLRequest`).
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A port of the loopback behind which the server is reached over TLS, until this is dropped.
#[derive(Debug)]
pub(crate) struct TlsProxy {
    pub(crate) port: u16,
    /// The file of the certificate of the authority, which lies in the server's directory.
    pub(crate) root: PathBuf,
    _open: oneshot::Sender<()>,
}

impl TlsProxy {
    /// Opens a port before the server that listens on `socket`.
    pub(crate) fn open(directory: &Path, socket: PathBuf) -> Self {
        let root = directory.join("root.crt");
        let acceptor = certify(&root);
        let (open, closed) = oneshot::channel::<()>();
        let (ready, port) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a free port");
                ready.send(listener.local_addr().expect("an address").port()).expect("somebody waits for the port");
                tokio::select! {
                    () = serve(&listener, &acceptor, &socket) => {}
                    _ = closed => {}
                }
            });
        });
        Self { port: port.recv().expect("the port is open"), root, _open: open }
    }
}

/// Makes an authority of its own, writes its certificate to `root`, and certifies a server at `127.0.0.1`.
fn certify(root: &Path) -> TlsAcceptor {
    let authority_key = KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let certificate = authority.self_signed(&authority_key).expect("a certificate of the authority");
    fs::write(root, certificate.pem()).expect("the directory is ours");
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().expect("a key");
    let server = CertificateParams::new(["127.0.0.1".to_owned()]).expect("an address is a name");
    let server = server.signed_by(&key, &issuer).expect("a certificate of the server");
    let private = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("its versions")
        .with_no_client_auth()
        .with_single_cert(vec![server.der().clone()], private)
        .expect("the key is the certificate's");
    TlsAcceptor::from(Arc::new(config))
}

async fn serve(listener: &TcpListener, acceptor: &TlsAcceptor, socket: &Path) {
    while let Ok((client, _)) = listener.accept().await {
        let (acceptor, socket) = (acceptor.clone(), socket.to_owned());
        tokio::spawn(async move {
            // A client that goes away, or does not believe the certificate, is the test's business.
            let _ = connect(client, &acceptor, &socket).await;
        });
    }
}

async fn connect(mut client: TcpStream, acceptor: &TlsAcceptor, socket: &Path) -> std::io::Result<()> {
    let mut hello = [0; 8];
    client.read_exact(&mut hello).await?;
    if hello != SSL_REQUEST {
        return client.write_all(&refusal("no encryption, no entry")).await;
    }
    client.write_all(b"S").await?;
    let mut client = acceptor.accept(client).await?;
    let mut server = UnixStream::connect(socket).await?;
    copy_bidirectional(&mut client, &mut server).await.map(drop)
}

/// An `ErrorResponse` of PostgreSQL's protocol: its kind, its length, and fields that end with a zero each.
fn refusal(message: &str) -> Vec<u8> {
    let fields = format!("SFATAL\0VFATAL\0C28000\0M{message}\0\0");
    let length = u32::try_from(fields.len() + 4).unwrap_or(u32::MAX);
    [b"E".as_slice(), &length.to_be_bytes(), fields.as_bytes()].concat()
}
