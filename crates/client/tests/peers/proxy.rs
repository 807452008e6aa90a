//! A proxy before a real server that cuts connections in the middle of their answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A proxy that passes on the head and so many bytes of the body of the first answer of each of its first connections,
/// then closes.
pub(super) struct CuttingProxy {
    pub(super) address: String,
    cuts: Arc<AtomicUsize>,
}

impl CuttingProxy {
    pub(super) async fn start(server: &str, limits: &'static [usize]) -> Self {
        let server = server.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let cuts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&cuts);
        tokio::spawn(async move {
            let mut limits = limits.iter();
            while let Ok((client, _)) = listener.accept().await {
                let limit = limits.next().copied();
                let (server, counted) = (TcpStream::connect(&server).await.unwrap(), Arc::clone(&counted));
                tokio::spawn(pass(client, server, limit, counted));
            }
        });
        Self { address, cuts }
    }

    /// How many connections were cut.
    pub(super) fn cuts(&self) -> usize {
        self.cuts.load(Ordering::SeqCst)
    }
}

async fn pass(mut client: TcpStream, mut server: TcpStream, limit: Option<usize>, cuts: Arc<AtomicUsize>) {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let up = tokio::io::copy(&mut from_client, &mut to_server);
    let down = async {
        let (mut answer, mut chunk, mut sent) = (Vec::new(), [0; 512], 0);
        while let Ok(read) = from_server.read(&mut chunk).await {
            if read == 0 {
                return;
            }
            answer.extend_from_slice(&chunk[..read]);
            let head = answer.windows(4).position(|window| window == b"\r\n\r\n").map(|end| end + 4);
            let end = head.zip(limit).map_or(answer.len(), |(head, limit)| answer.len().min(head + limit));
            let is_cut = head.zip(limit).is_some_and(|(head, limit)| answer.len() >= head + limit);
            if to_client.write_all(&answer[sent..end]).await.is_err() {
                return;
            }
            sent = end;
            if is_cut {
                cuts.fetch_add(1, Ordering::SeqCst);
                return;
            }
        }
    };
    tokio::select! {
        _ = up => {}
        () = down => {}
    }
}
