//! The port of this machine that the browser comes back to.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The path of the address.
const PATH: &str = "/callback";
/// The longest request that is read.
const BYTES: usize = 16 << 10;
/// How long one connection may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many connections are read at a time. Browsers open some that they never use.
const CONNECTIONS: usize = 32;

/// The port, while it is listened on.
pub(super) struct Callback {
    listener: TcpListener,
    address: Url,
}

/// A browser that came back, and waits to be told how it went.
pub(super) struct Returned {
    /// The address that it came to, with what it brings.
    pub(super) address: Url,
    stream: TcpStream,
}

impl Callback {
    /// Listens on a port that is free, or on this one. For that one the address says `localhost`, as a client that was made
    /// known by hand usually has it; else it is a number, as RFC 8252 recommends.
    pub(super) async fn listen(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or_default())).await?;
        let host = if port.is_some() { "localhost" } else { "127.0.0.1" };
        let address = format!("http://{host}:{}{PATH}", listener.local_addr()?.port());
        Ok(Self { listener, address: Url::parse(&address).map_err(io::Error::other)? })
    }

    pub(super) fn address(&self) -> &Url {
        &self.address
    }

    /// Waits for the browser that brings the state of this login. Whoever brings another one is sent away.
    pub(super) async fn returned(&self, state: &str) -> io::Result<Returned> {
        let mut reading = FuturesUnordered::new();
        loop {
            let returned = tokio::select! {
                accepted = self.listener.accept(), if reading.len() < CONNECTIONS => {
                    reading.push(self.read(accepted?.0));
                    continue;
                }
                Some(returned) = reading.next() => returned,
            };
            let Some(returned) = returned else { continue };
            if returned.value("state").as_deref() == Some(state) {
                return Ok(returned);
            }
            returned.answer(400, "This is not the login that was waited for.").await;
        }
    }

    /// What a connection asks for, where that is the address of the callback.
    async fn read(&self, mut stream: TcpStream) -> Option<Returned> {
        let mut bytes = Vec::new();
        let reading = async {
            while !bytes.windows(4).any(|end| end == b"\r\n\r\n") {
                if bytes.len() > BYTES || stream.read_buf(&mut bytes).await.ok()? == 0 {
                    return None;
                }
            }
            Some(())
        };
        tokio::time::timeout(PATIENCE, reading).await.ok()??;
        let head = String::from_utf8_lossy(&bytes);
        let mut words = head.lines().next()?.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let address =
            self.address.join(target).ok().filter(|address| {
                method == "GET" && address.path() == PATH && address.origin() == self.address.origin()
            });
        match address {
            Some(address) => Some(Returned { address, stream }),
            None => {
                write(&mut stream, 404, "There is nothing here.").await;
                None
            }
        }
    }
}

impl Returned {
    /// A value that the browser brings.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        self.address.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    /// Tells the person in the browser how it went.
    pub(super) async fn answer(mut self, status: u16, words: &str) {
        write(&mut self.stream, status, words).await;
    }
}

/// Answers with a page of one sentence, which is this program's own.
async fn write(stream: &mut TcpStream, status: u16, words: &str) {
    let page = format!("<!doctype html><meta charset=\"utf-8\"><title>Graphloom</title><p>{words}</p>\n");
    let answer = format!(
        "HTTP/1.1 {status} -\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\ncache-control: \
         no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{page}",
        page.len()
    );
    // Nobody is left to tell when the browser has gone.
    let _ = tokio::time::timeout(PATIENCE, async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
}
