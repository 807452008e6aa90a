//! Measures a server of the demo graphs: `drive NAME ADDRESS REPEATS -- COMMAND…`, which starts the command, waits until it
//! answers, measures, and ends it. A line of JSON a measure, for `table.py`.

use std::process::Stdio;
use std::time::{Duration, Instant};

use graphloom_bench_server::http::{Connection, Fault};
use graphloom_bench_server::process::{memory, processor_time};
use serde_json::{Value, json};
use tokio::process::Command;

struct Measured {
    name: String,
    address: String,
    pid: u32,
}

fn thread_of(answer: &[u8]) -> Result<String, Fault> {
    let answer: Value = serde_json::from_slice(answer)?;
    Ok(answer["thread_id"].as_str().ok_or("a thread without an id")?.to_owned())
}

fn at(times: &mut [Duration], share: f64) -> f64 {
    times.sort();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
    let place = ((times.len() - 1) as f64 * share) as usize;
    times[place].as_secs_f64() * 1e3
}

impl Measured {
    fn tell(&self, what: &str, value: f64, unit: &str) {
        let line = json!({"server": self.name, "what": what, "value": value, "unit": unit});
        #[expect(clippy::print_stdout, reason = "the output of a measurement")]
        {
            println!("{line}");
        }
    }

    async fn thread(&self, connection: &mut Connection) -> Result<String, Fault> {
        thread_of(&connection.ask("POST", "/threads", &json!({})).await?)
    }

    async fn waits(&self, count: usize) -> Result<(), Fault> {
        let mut connection = Connection::open(&self.address).await?;
        let (mut waits, mut firsts) = (Vec::new(), Vec::new());
        let body = json!({"assistant_id": "pipeline", "input": {"topic": "x"}});
        for _ in 0..count {
            let thread = self.thread(&mut connection).await?;
            let began = Instant::now();
            let answer = connection.ask("POST", &format!("/threads/{thread}/runs/wait"), &body).await?;
            waits.push(began.elapsed());
            let values: Value = serde_json::from_slice(&answer)?;
            if values["count"] != 3 {
                return Err(format!("the pipeline answered {values}").into());
            }
        }
        for _ in 0..count.min(50) {
            let thread = self.thread(&mut connection).await?;
            let stream = json!({"assistant_id": "pipeline", "input": {"topic": "x"}, "stream_mode": ["values"]});
            let began = Instant::now();
            connection.send("POST", &format!("/threads/{thread}/runs/stream"), &stream.to_string()).await?;
            let mut text = String::new();
            let mut first = None;
            while let Some(part) = connection.part().await? {
                text.push_str(&String::from_utf8_lossy(&part));
                if first.is_none() && text.contains("event: values") {
                    first = Some(began.elapsed());
                }
            }
            firsts.push(first.ok_or("a stream without values")?);
        }
        self.tell("wait p50", at(&mut waits, 0.5), "ms");
        self.tell("wait p99", at(&mut waits, 0.99), "ms");
        self.tell("first event of a stream p50", at(&mut firsts, 0.5), "ms");
        Ok(())
    }

    async fn rate(&self, at_once: usize, count: usize) -> Result<(), Fault> {
        let body = json!({"assistant_id": "pipeline", "input": {"topic": "x"}});
        let mut connections = Vec::new();
        for _ in 0..at_once {
            let mut connection = Connection::open(&self.address).await?;
            let mut threads = Vec::new();
            for _ in 0..count.div_ceil(at_once) {
                threads.push(self.thread(&mut connection).await?);
            }
            connections.push((connection, threads));
        }
        let runs: usize = connections.iter().map(|(_, threads)| threads.len()).sum();
        let (server, client) = (processor_time(self.pid), processor_time(std::process::id()));
        let began = Instant::now();
        let tasks = connections.into_iter().map(|(mut connection, threads)| {
            let body = body.clone();
            tokio::spawn(async move {
                for thread in threads {
                    connection.ask("POST", &format!("/threads/{thread}/runs/wait"), &body).await?;
                }
                Ok::<_, Fault>(())
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await??;
        }
        let (took, runs) = (began.elapsed().as_secs_f64(), runs as f64);
        self.tell(&format!("runs a second, {at_once} at a time"), runs / took, "");
        let used = |before: Duration, pid| (processor_time(pid) - before).as_secs_f64() * 1e6 / runs;
        self.tell(&format!("processor time of the server a run, {at_once} at a time"), used(server, self.pid), "µs");
        self.tell(
            &format!("processor time of the client a run, {at_once} at a time"),
            used(client, std::process::id()),
            "µs",
        );
        Ok(())
    }

    async fn steps(&self) -> Result<(), Fault> {
        let mut connection = Connection::open(&self.address).await?;
        let thread = self.thread(&mut connection).await?;
        let body = json!({
            "assistant_id": "ticker", "input": {"n": 500, "delay_ms": 0}, "stream_mode": ["values"],
            "config": {"recursion_limit": 1000},
        });
        let began = Instant::now();
        let streamed = connection.ask("POST", &format!("/threads/{thread}/runs/stream"), &body).await?;
        let took = began.elapsed().as_secs_f64();
        let events = String::from_utf8_lossy(&streamed).matches("event: values").count();
        if events < 501 {
            return Err(format!("{events} states of 501 were streamed").into());
        }
        self.tell("streamed super-steps a second", 500.0 / took, "");
        let began = Instant::now();
        let history = connection.ask("POST", &format!("/threads/{thread}/history"), &json!({"limit": 1000})).await?;
        self.tell("history of 500", began.elapsed().as_secs_f64() * 1e3, "ms");
        let states: Vec<Value> = serde_json::from_slice(&history)?;
        if states.len() < 501 {
            return Err(format!("the history has {} states", states.len()).into());
        }
        Ok(())
    }

    async fn streams(&self, count: usize) -> Result<(), Fault> {
        let mut first = Connection::open(&self.address).await?;
        let thread = self.thread(&mut first).await?;
        let before = memory(self.pid);
        let mut open = Vec::new();
        for _ in 0..count {
            let mut connection = Connection::open(&self.address).await?;
            connection.send("GET", &format!("/threads/{thread}/stream"), "").await?;
            open.push(connection);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.tell(&format!("memory of {count} open streams"), memory(self.pid) - before, "MB");
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Fault> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, address, repeats, dashes, program, rest @ ..] = arguments.as_slice() else {
        return Err("drive NAME ADDRESS REPEATS -- COMMAND…".into());
    };
    if dashes != "--" {
        return Err("the command comes after `--`".into());
    }
    let repeats: usize = repeats.parse()?;
    let began = Instant::now();
    let mut server =
        Command::new(program).args(rest).stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true).spawn()?;
    let bench = Measured { name: name.clone(), address: address.clone(), pid: server.id().ok_or("no process")? };
    loop {
        let asked = async { Connection::open(address).await?.ask("GET", "/ok", &Value::Null).await };
        match asked.await {
            Ok(_) => break,
            Err(_) if began.elapsed() < Duration::from_secs(60) => tokio::time::sleep(Duration::from_millis(1)).await,
            Err(error) => return Err(error),
        }
    }
    bench.tell("start-up", began.elapsed().as_secs_f64() * 1e3, "ms");
    bench.tell("memory idle", memory(bench.pid), "MB");
    bench.streams(1000).await?;
    bench.waits(repeats).await?;
    for at_once in [1, 32, 100] {
        bench.rate(at_once, repeats * if at_once == 1 { 1 } else { 4 }).await?;
    }
    bench.tell("memory loaded", memory(bench.pid), "MB");
    bench.steps().await?;
    server.kill().await?;
    Ok(())
}
