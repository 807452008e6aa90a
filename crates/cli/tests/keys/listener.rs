//! Servers of this machine that keep every byte they are sent, with and without TLS.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What a server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Does {
    /// Answers as a model server.
    Answer,
    /// Sends everybody elsewhere.
    Redirect(u16, String),
}

/// A server and what it was sent, after decryption where there is any.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Listener {
    /// Listens on a free port of `ip` for as long as the test runs.
    pub(crate) fn start(ip: &str, tls: Option<Arc<ServerConfig>>, does: Does) -> Self {
        let listener = TcpListener::bind((ip, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&received);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, tls, does) = (Arc::clone(&kept), tls.clone(), does.clone());
                std::thread::spawn(move || match tls {
                    None => serve(stream, &kept, &does),
                    Some(config) => {
                        serve(StreamOwned::new(ServerConnection::new(config).unwrap(), stream), &kept, &does);
                    }
                });
            }
        });
        Self { address, received }
    }

    /// Whether these bytes came, at any place of any request.
    pub(crate) fn saw(&self, text: &str) -> bool {
        self.received.lock().unwrap().windows(text.len()).any(|window| window == text.as_bytes())
    }

    /// How many bytes came.
    pub(crate) fn len(&self) -> usize {
        self.received.lock().unwrap().len()
    }
}

/// Reads one request and answers it. Whoever goes away early is no concern.
fn serve(mut stream: impl Read + Write, kept: &Mutex<Vec<u8>>, does: &Does) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !is_whole(&request) {
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => {
                request.extend_from_slice(&buffer[..count]);
                kept.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
            _ => return,
        }
    }
    let (status, more, body) = match does {
        Does::Redirect(status, place) => (*status, format!("location: {place}\r\n"), "moved".to_owned()),
        Does::Answer if request.starts_with(b"GET ") => {
            (200, String::new(), r#"{"data": [{"id": "found-model"}]}"#.to_owned())
        }
        Does::Answer => {
            let message = r#"{"role": "assistant", "content": "yes"}"#;
            (
                200,
                String::new(),
                format!(r#"{{"model": "m", "choices": [{{"finish_reason": "stop", "message": {message}}}]}}"#),
            )
        }
    };
    let head = format!(
        "HTTP/1.1 {status} x\r\n{more}content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body.as_bytes()))
        .and_then(|()| stream.flush());
}

fn is_whole(request: &[u8]) -> bool {
    let Some(head) = request.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    request.len() >= head + 4 + length.unwrap_or(0)
}

/// Whoever trusts the certificate in the file, and nothing else, can talk to these addresses.
pub(crate) fn certified(addresses: &[&str], root: &Path) -> Arc<ServerConfig> {
    let authority_key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    std::fs::write(root, authority.self_signed(&authority_key).unwrap().pem()).unwrap();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = addresses.iter().map(|address| (*address).to_owned()).collect();
    let server = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    Arc::new(config.with_single_cert(vec![server.der().clone()], key).unwrap())
}
