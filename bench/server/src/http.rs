//! Requests over one connection that is kept.

use std::error::Error;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

/// Any error, told once.
pub type Fault = Box<dyn Error + Send + Sync>;

/// One connection to a server.
#[derive(Debug)]
pub struct Connection {
    host: String,
    stream: BufReader<TcpStream>,
    /// Whether the answer that is being read comes in chunks, or how many bytes it has left.
    body: Body,
}

#[derive(Clone, Copy, Debug)]
enum Body {
    Chunked,
    Left(usize),
}

impl Connection {
    /// Connects to `host:port`.
    ///
    /// # Errors
    /// The operating system's.
    pub async fn open(host: &str) -> Result<Self, Fault> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { host: host.to_owned(), stream: BufReader::new(stream), body: Body::Left(0) })
    }

    /// Sends a request, and reads the head of its answer.
    ///
    /// # Errors
    /// A status other than one of success; a connection that breaks.
    pub async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<(), Fault> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).await?;
        let mut line = String::new();
        self.stream.read_line(&mut line).await?;
        let is_success = line.split(' ').nth(1).is_some_and(|status| status.starts_with('2'));
        let status = line.trim().to_owned();
        self.body = Body::Left(0);
        loop {
            line.clear();
            self.stream.read_line(&mut line).await?;
            let header = line.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(length) = header.strip_prefix("content-length:") {
                self.body = Body::Left(length.trim().parse()?);
            } else if header == "transfer-encoding: chunked" {
                self.body = Body::Chunked;
            }
        }
        if is_success { Ok(()) } else { Err(format!("{method} {path}: {status}").into()) }
    }

    /// The next part of the answer; none at its end.
    ///
    /// # Errors
    /// A connection that breaks.
    pub async fn part(&mut self) -> Result<Option<Vec<u8>>, Fault> {
        let length = match self.body {
            Body::Left(0) => return Ok(None),
            Body::Left(left) => {
                self.body = Body::Left(0);
                left
            }
            Body::Chunked => {
                let mut line = String::new();
                self.stream.read_line(&mut line).await?;
                usize::from_str_radix(line.trim(), 16)?
            }
        };
        let mut part = vec![0; length];
        self.stream.read_exact(&mut part).await?;
        if let Body::Chunked = self.body {
            let mut end = [0; 2];
            self.stream.read_exact(&mut end).await?;
            if length == 0 {
                self.body = Body::Left(0);
                return Ok(None);
            }
        }
        Ok(Some(part))
    }

    /// Sends a request and reads its whole answer.
    ///
    /// # Errors
    /// As [`send`](Self::send) and [`part`](Self::part).
    pub async fn ask(&mut self, method: &str, path: &str, body: &Value) -> Result<Vec<u8>, Fault> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(method, path, &body).await?;
        let mut answer = Vec::new();
        while let Some(part) = self.part().await? {
            answer.extend(part);
        }
        Ok(answer)
    }
}
