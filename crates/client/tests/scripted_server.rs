//! A scripted server on loopback: it gives prepared answers in their order, whatever is asked, and notes what was asked.
//! It is no agent server; what those do is shown by the tests of `peers`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use graphloom_client::{Client, Options};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// An answer of the script.
#[derive(Clone)]
pub(crate) struct Reply {
    /// Makes the answer of what was asked so far.
    make: Option<Arc<Make>>,
    status: u16,
    headers: Vec<(String, String)>,
    /// The body in the pieces in which it is sent.
    pieces: Vec<Vec<u8>>,
    ending: Ending,
}

type Make = dyn Fn(&[Asked]) -> Reply + Send + Sync;

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    /// As it should.
    Proper,
    /// The connection is closed in the middle of the body.
    Cut,
    /// Nothing is answered.
    Unanswered,
    /// The connection stays open, and nothing more comes.
    Quiet,
}

impl Reply {
    fn new(status: u16, content_type: &str, pieces: Vec<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { make: None, status, headers, pieces, ending: Ending::Proper }
    }

    pub(crate) fn json(status: u16, value: &Value) -> Self {
        Self::new(status, "application/json", vec![value.to_string().into_bytes()])
    }

    pub(crate) fn page(status: u16, html: &str) -> Self {
        Self::new(status, "text/html; charset=utf-8", vec![html.as_bytes().to_vec()])
    }

    /// A stream of events, sent in these pieces.
    pub(crate) fn events<P: Into<Vec<u8>>>(pieces: impl IntoIterator<Item = P>) -> Self {
        Self::new(200, "text/event-stream; charset=utf-8", pieces.into_iter().map(Into::into).collect())
    }

    /// The request is read and the connection closed.
    pub(crate) fn unanswered() -> Self {
        Self { ending: Ending::Unanswered, ..Self::new(200, "", Vec::new()) }
    }

    /// An answer that is made of what was asked so far, itself included.
    pub(crate) fn made(make: impl Fn(&[Asked]) -> Self + Send + Sync + 'static) -> Self {
        Self { make: Some(Arc::new(make)), ..Self::new(200, "", Vec::new()) }
    }

    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn cut(self) -> Self {
        Self { ending: Ending::Cut, ..self }
    }

    pub(crate) fn quiet(self) -> Self {
        Self { ending: Ending::Quiet, ..self }
    }
}

/// What was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The method and the path with its query.
    pub(crate) line: String,
    headers: String,
    body: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

pub(crate) struct ScriptedServer {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    left: Arc<Mutex<Vec<Reply>>>,
    count: watch::Receiver<usize>,
}

impl ScriptedServer {
    pub(crate) async fn start(script: impl IntoIterator<Item = Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (asked, mut replies) = (Arc::new(Mutex::new(Vec::new())), script.into_iter().collect::<Vec<_>>());
        replies.reverse();
        let left = Arc::new(Mutex::new(replies));
        let (counted, count) = watch::channel(0);
        let server = Self { address, asked: Arc::clone(&asked), left: Arc::clone(&left), count };
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (asked, left, counted) = (Arc::clone(&asked), Arc::clone(&left), counted.clone());
                tokio::spawn(async move {
                    let mut connection = connection;
                    let Some(request) = read_request(&mut connection).await else { return };
                    let line = request.line.clone();
                    let reply = {
                        let mut asked = asked.lock().unwrap();
                        asked.push(request);
                        let reply = left.lock().unwrap().pop();
                        reply.map(|reply| reply.make.as_ref().map_or_else(|| reply.clone(), |make| make(&asked)))
                    };
                    counted.send_modify(|count| *count += 1);
                    // The script is over: an answer that no test expects.
                    let over = serde_json::json!({"detail": format!("nothing is prepared for `{line}`")});
                    let _ = answer(&mut connection, reply.unwrap_or_else(|| Reply::json(418, &over))).await;
                });
            }
        });
        server
    }

    /// A client without pauses to speak of.
    pub(crate) fn client(&self) -> Client {
        Client::with_options(&self.address, options()).unwrap()
    }

    /// Resolves when so much was asked.
    pub(crate) async fn reached(&self, many: usize) {
        self.count.clone().wait_for(|count| *count >= many).await.unwrap();
    }

    /// What was asked so far.
    pub(crate) fn asked_so_far(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// What was asked, when the whole script was used up.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let left = self.left.lock().unwrap().len();
        let asked = self.asked_so_far();
        assert_eq!(left, 0, "of the script is left; asked: {:?}", lines(&asked));
        asked
    }
}

pub(crate) fn options() -> Options {
    let mut options = Options::default();
    options.first_pause = Duration::from_millis(2);
    options
}

pub(crate) fn lines(asked: &[Asked]) -> Vec<String> {
    asked.iter().map(|asked| asked.line.clone()).collect()
}

async fn read_request(connection: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        let mut chunk = [0; 4096];
        let read = connection.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let (first, headers) = text.split_once("\r\n")?;
    let mut asked = Asked {
        line: first.trim_end_matches(" HTTP/1.1").to_owned(),
        headers: headers.to_owned(),
        body: String::new(),
    };
    let length: usize = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(head);
    while body.len() < length {
        let mut chunk = [0; 4096];
        let read = connection.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        body.extend_from_slice(&chunk[..read]);
    }
    asked.body = String::from_utf8_lossy(&body).into_owned();
    Some(asked)
}

async fn answer(connection: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    if reply.ending == Ending::Unanswered {
        return Ok(());
    }
    let mut head = format!("HTTP/1.1 {} Scripted\r\ntransfer-encoding: chunked\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    connection.write_all(head.as_bytes()).await?;
    for piece in &reply.pieces {
        connection.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        connection.write_all(piece).await?;
        connection.write_all(b"\r\n").await?;
        connection.flush().await?;
    }
    match reply.ending {
        Ending::Proper => connection.write_all(b"0\r\n\r\n").await?,
        // A chunk is announced that never comes.
        Ending::Cut => connection.write_all(b"40\r\nda").await?,
        Ending::Quiet => std::future::pending().await,
        Ending::Unanswered => {}
    }
    connection.shutdown().await
}
