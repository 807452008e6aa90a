//! Who is alive: a row per open checkpointer, which it renews again and again.
//!
//! Whoever finds the row of an owner expired, or no row, takes its threads over by raising their epochs. An owner that
//! was only slow, or cut off from the database, is then refused by its epoch. Time is the database's, so that clocks of
//! machines do not matter.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use sqlx::PgPool;
use tokio::task::JoinHandle;

use crate::failure::Failure;

/// The task that renews the row. Ends, and removes the row, when dropped.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    pub(crate) instance: String,
    pool: PgPool,
    task: JoinHandle<()>,
}

const BEAT: &str = "INSERT INTO owners (instance, expires) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
    ON CONFLICT (instance) DO UPDATE SET expires = excluded.expires";

impl Heartbeat {
    pub(crate) async fn start(
        pool: &PgPool,
        instance: String,
        interval: Duration,
        expiry: Duration,
    ) -> Result<Self, Failure> {
        sqlx::query("DELETE FROM owners WHERE expires < clock_timestamp() - interval '1 day'").execute(pool).await?;
        beat(pool, &instance, expiry).await?;
        let (own, name) = (pool.clone(), instance.clone());
        let task = tokio::spawn(async move {
            let mut ticks = tokio::time::interval(interval);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            ticks.tick().await;
            loop {
                ticks.tick().await;
                // The next beat tries again; until then nobody else takes over before the expiry.
                if let Err(failure) = beat(&own, &name, expiry).await {
                    tracing::warn!(?failure, "a heartbeat did not reach the database");
                }
            }
        });
        Ok(Self { instance, pool: pool.clone(), task })
    }

    /// Ends the beats and lets others take over at once.
    pub(crate) async fn stop(&self) -> Result<(), Failure> {
        self.task.abort();
        sqlx::query("DELETE FROM owners WHERE instance = $1").bind(&self.instance).execute(&self.pool).await?;
        Ok(())
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.task.abort();
        let (pool, instance) = (self.pool.clone(), std::mem::take(&mut self.instance));
        // Without a runtime that still runs, the row expires.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let delete = sqlx::query("DELETE FROM owners WHERE instance = $1").bind(instance);
                let _ = delete.execute(&pool).await;
            });
        }
    }
}

async fn beat(pool: &PgPool, instance: &str, expiry: Duration) -> Result<(), Failure> {
    sqlx::query(BEAT).bind(instance).bind(expiry.as_secs_f64()).execute(pool).await?;
    Ok(())
}

/// A name that no other checkpointer has: 128 bits of the randomness that the system gives to hash tables.
pub(crate) fn instance_name() -> String {
    let word = |salt: u64| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u64(salt);
        hasher.write_u32(std::process::id());
        hasher.finish()
    };
    format!("{:016x}{:016x}", word(1), word(2))
}
