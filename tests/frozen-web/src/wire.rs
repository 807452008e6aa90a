//! A host that keeps every byte that arrives.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A host of this machine that gives every request one answer and keeps what arrived, byte for byte.
#[derive(Debug)]
pub struct Wire {
    address: SocketAddr,
    bytes: Arc<Mutex<Vec<u8>>>,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// A host that answers with this status (`200 OK`), these headers, each with its line end, and this body of JSON.
    ///
    /// # Panics
    /// When no port of this machine is free.
    pub fn answering(status: &str, headers: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its own address");
        let answer = format!(
            "HTTP/1.1 {status}\r\n{headers}content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        let (bytes, ends) = (Arc::<Mutex<Vec<u8>>>::default(), Arc::<AtomicBool>::default());
        let (kept, stop) = (Arc::clone(&bytes), Arc::clone(&ends));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                if let Ok(stream) = stream {
                    // A client that goes away has told what it had to tell.
                    let _ = serve(stream, &answer, &kept);
                }
            }
        });
        Self { address, bytes, ends, thread: Some(thread) }
    }

    /// The host with its port.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// What has arrived since the last time.
    pub fn taken(&self) -> String {
        let bytes = std::mem::take(&mut *self.bytes.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads a request to its end and answers it.
fn serve(mut stream: TcpStream, answer: &str, kept: &Mutex<Vec<u8>>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let (mut request, mut piece) = (Vec::new(), [0_u8; 4096]);
    while !is_whole(&request) {
        match stream.read(&mut piece)? {
            0 => break,
            count => {
                request.extend_from_slice(&piece[..count]);
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&piece[..count]);
            }
        }
    }
    stream.write_all(answer.as_bytes())?;
    stream.flush()
}

/// Whether the head of a request is there, and as much of its body as the head says.
fn is_whole(request: &[u8]) -> bool {
    let Some(head) = request.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    request.len() >= head + 4 + length.unwrap_or(0)
}
