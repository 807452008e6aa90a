//! A server whose certificate only a file vouches for is trusted once that file is named, and not before.

#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use graphloom_http::{Outbound, client, innermost};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use reqwest::Url;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Answers every connection with `here`, as `localhost`, under an authority of its own. Its certificate in PEM form.
fn server() -> (u16, String) {
    let authority_key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pem = authority.self_signed(&authority_key).unwrap().pem();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().unwrap();
    let names = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = names.signed_by(&key, &issuer).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![certificate.der().clone()], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            let mut request = [0; 4096];
            // Who does not trust the certificate ends the connection here.
            if stream.read(&mut request).is_ok() {
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\nhere";
                stream.write_all(answer).and_then(|()| stream.flush()).ok();
            }
        }
    });
    (port, pem)
}

#[tokio::test]
async fn an_own_authority_is_trusted_when_it_is_named() {
    let (port, pem) = server();
    let address = Url::parse(&format!("https://localhost:{port}/")).unwrap();
    let before = client(&address, "test").unwrap().build().unwrap().get(address.clone()).send().await;
    let refused = innermost(&before.unwrap_err());
    assert!(refused.contains("certificate"), "{refused}");

    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("authority.pem");
    std::fs::write(&file, pem).unwrap();
    Outbound::default().certificates(&file).unwrap().install().unwrap();
    assert!(Outbound::default().install().is_err(), "it is settled once");
    let after = client(&address, "test").unwrap().build().unwrap().get(address).send().await.unwrap();
    assert_eq!(after.text().await.unwrap(), "here");
}
