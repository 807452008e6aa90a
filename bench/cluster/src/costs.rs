//! What steps cost the database: processor time, and bytes that it writes ahead.

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::Outcome;

/// Ticks of the processor clock a second, as Linux tells of processes.
const TICKS: f64 = 100.0;

/// A connection that tells of costs.
pub(crate) struct Costs {
    pool: PgPool,
    /// The server's first process, where it runs on this machine.
    server: Option<u32>,
}

/// What has been spent since the server began.
#[derive(Clone, Copy)]
pub(crate) struct Spent {
    /// Bytes of the write-ahead log.
    bytes: i64,
    /// Seconds of all processes of the server.
    processor: Option<f64>,
}

impl Costs {
    /// The head of the columns.
    pub(crate) const HEAD: &str = "db cpu ms/step WAL bytes/step";

    pub(crate) async fn of(url: &str) -> Outcome<Self> {
        let pool = PgPoolOptions::new().max_connections(1).connect(url).await?;
        let backend: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&pool).await?;
        let backend = u32::try_from(backend)?;
        let is_server = |name: String| name.trim().starts_with("postgres");
        let is_here = std::fs::read_to_string(format!("/proc/{backend}/comm")).is_ok_and(is_server);
        let server = if is_here { Process::read(backend).map(|process| process.parent) } else { None };
        Ok(Self { pool, server })
    }

    pub(crate) async fn now(&self) -> Outcome<Spent> {
        let bytes = sqlx::query_scalar("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").fetch_one(&self.pool);
        Ok(Spent { bytes: bytes.await?, processor: self.server.map(processor) })
    }

    /// What each of so many steps has cost since then, as columns.
    pub(crate) async fn since(&self, before: Spent, steps: u64) -> Outcome<String> {
        let now = self.now().await?;
        let bytes = (now.bytes - before.bytes) as f64 / steps as f64;
        let processor = now.processor.zip(before.processor);
        let processor =
            processor.map_or("-".to_owned(), |(now, before)| format!("{:.2}", (now - before) * 1e3 / steps as f64));
        Ok(format!("{processor:>14} {bytes:>14.0}"))
    }
}

/// Seconds that a server and its processes have used, those that have ended among them.
fn processor(server: u32) -> f64 {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(Process::read);
    let ticks: f64 = processes
        .map(|process| match (process.id == server, process.parent == server) {
            (true, _) => process.own + process.ended,
            (_, true) => process.own,
            _ => 0.0,
        })
        .sum();
    ticks / TICKS
}

/// A process, as `/proc` tells of it.
struct Process {
    id: u32,
    parent: u32,
    /// Ticks of its own.
    own: f64,
    /// Ticks of those of its processes that have ended.
    ended: f64,
}

impl Process {
    fn read(id: u32) -> Option<Self> {
        let told = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name may have spaces and brackets in it.
        let fields: Vec<&str> = told.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks =
            |from: usize| Some(fields.get(from)?.parse::<f64>().ok()? + fields.get(from + 1)?.parse::<f64>().ok()?);
        Some(Self { id, parent: fields.get(1)?.parse().ok()?, own: ticks(11)?, ended: ticks(13)? })
    }
}
