//! What the database and the queue can do without a graph.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures::future::try_join_all;
use graphile_worker::{
    IntoTaskHandlerResult, JobSpec, TaskHandler, WorkerContext, WorkerOptions, WorkerShutdownConfig,
};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

use crate::{Outcome, PLACES};

/// A job that does nothing but count.
#[derive(Deserialize, Serialize)]
struct Nothing {}

impl TaskHandler for Nothing {
    const IDENTIFIER: &'static str = "nothing";

    async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
        if let Some(done) = context.get_ext::<Arc<AtomicU64>>() {
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok::<_, String>(())
    }
}

pub(crate) async fn tell(url: &str, less: u64) -> Outcome<()> {
    let pool = PgPoolOptions::new().max_connections(20).connect(url).await?;
    sqlx::query("CREATE TABLE IF NOT EXISTS bench_floor (id BIGSERIAL PRIMARY KEY, body BYTEA NOT NULL)")
        .execute(&pool)
        .await?;
    println!(
        "the database alone: transactions of one row of 300 bytes\n\n{:>12} {:>10} {:>12}",
        "connections", "rows/s", "ms/row"
    );
    for connections in [1, 20_u64] {
        let rows = 2000 / less;
        let (second, ms) = rows_of(&pool, connections, rows).await?;
        println!("{connections:>12} {second:>10.0} {ms:>12.2}");
    }
    println!(
        "\nthe queue alone: jobs of graphile_worker that do nothing, added one by one by 20, done by one process\n"
    );
    println!("{:>10}\n{:>10.0}", "jobs/s", jobs(&pool, 4000 / less).await?);
    Ok(())
}

async fn rows_of(pool: &PgPool, connections: u64, rows: u64) -> Outcome<(f64, f64)> {
    let began = Instant::now();
    let each = (0..connections).map(|_| async {
        for _ in 0..rows / connections {
            sqlx::query("INSERT INTO bench_floor (body) VALUES ($1)").bind(vec![7_u8; 300]).execute(pool).await?;
        }
        Ok::<_, sqlx::Error>(())
    });
    try_join_all(each).await?;
    let took = began.elapsed().as_secs_f64();
    Ok((rows as f64 / took, took * 1e3 * connections as f64 / rows as f64))
}

/// Jobs a second, from the first that is added to the last that is done.
async fn jobs(pool: &PgPool, jobs: u64) -> Outcome<f64> {
    let done = Arc::new(AtomicU64::new(0));
    let shutdown = WorkerShutdownConfig::default().listen_os_shutdown_signals(false);
    let worker = WorkerOptions::default()
        .pg_pool(pool.clone())
        .schema("bench_floor_jobs".to_owned())
        .concurrency(PLACES)
        .worker_shutdown(shutdown)
        .add_extension(Arc::clone(&done))
        .define_job::<Nothing>()
        .init()
        .await?;
    let utils = worker.create_utils();
    let working = tokio::spawn(async move { worker.run().await.map_err(|error| error.to_string()) });
    let began = Instant::now();
    let each = (0..20).map(|_| async {
        for _ in 0..jobs / 20 {
            utils.add_job(Nothing {}, JobSpec::default()).await?;
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    });
    try_join_all(each).await?;
    while done.load(Ordering::Relaxed) < jobs / 20 * 20 {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    let took = began.elapsed().as_secs_f64();
    working.abort();
    Ok(jobs as f64 / took)
}
