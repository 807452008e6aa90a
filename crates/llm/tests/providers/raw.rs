//! A server of bytes: it keeps everything that it is sent, and does what a test tells it.

use std::future::Future;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The server; it ends when it is dropped.
pub(super) struct Raw {
    pub(super) address: String,
    seen: Arc<Mutex<Vec<u8>>>,
    serving: JoinHandle<()>,
}

impl Raw {
    /// Answers every connection with `answer`, once a whole request has come.
    pub(super) async fn start<F, Fut>(answer: F) -> Self
    where
        F: Fn(TcpStream) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        let serving = tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                tokio::spawn(async move {
                    let request = read_request(&mut socket).await;
                    kept.lock().unwrap().extend_from_slice(&request);
                    answer(socket).await;
                });
            }
        });
        Self { address, seen, serving }
    }

    /// Whether a text was among the bytes that came.
    pub(super) fn saw(&self, text: &str) -> bool {
        let seen = self.seen.lock().unwrap();
        seen.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The head of a request and its body.
async fn read_request(socket: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(head) = head {
            let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
            if bytes.len() >= head + 4 + length.unwrap_or(0_usize) {
                return bytes;
            }
        }
        match socket.read(&mut buffer).await {
            Ok(0) | Err(_) => return bytes,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Sends the head of a response with a body in chunks.
pub(super) async fn send_head(socket: &mut TcpStream, kind: &str) {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n");
    let _ = socket.write_all(head.as_bytes()).await;
}

/// Sends one chunk of a body.
pub(super) async fn send_chunk(socket: &mut TcpStream, bytes: &[u8]) {
    let _ = socket.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await;
    let _ = socket.write_all(bytes).await;
    let _ = socket.write_all(b"\r\n").await;
    let _ = socket.flush().await;
}
