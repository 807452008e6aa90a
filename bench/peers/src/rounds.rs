//! One case, measured in rounds.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

use crate::Failure;

/// A shape that a row is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) units: u64,
}

/// A chain of nodes.
pub(crate) const CHAIN: Shape = Shape { name: "chain1000", unit: "step", units: 1_000 };
/// A node that follows itself.
pub(crate) const LOOP: Shape = Shape { name: "loop10k", unit: "step", units: 10_000 };
/// The same, shorter, for stores.
pub(crate) const SHORT_LOOP: Shape = Shape { name: "loop1000", unit: "step", units: 1_000 };
/// A fan-out that is joined.
pub(crate) const TASKS: Shape = Shape { name: "tasks100", unit: "branch", units: 100 };

/// Gets one run ready, by its number; what it returns is the run.
pub(crate) type Work = Arc<dyn Fn(u64) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// A runtime on a shape.
pub(crate) struct Case {
    pub(crate) by: &'static str,
    pub(crate) shape: Shape,
    pub(crate) store: &'static str,
    /// Builds the graph.
    pub(crate) make: BoxFuture<'static, Result<Work, Failure>>,
    /// The database file, if there is one.
    pub(crate) file: Option<PathBuf>,
}

impl Case {
    pub(crate) fn new<F, W>(by: &'static str, shape: Shape, store: &'static str, make: F) -> Self
    where
        F: Future<Output = Result<W, Failure>> + Send + 'static,
        W: Fn(u64) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync + 'static,
    {
        let make = Box::pin(async move { make.await.map(|work| Arc::new(work) as Work) });
        Self { by, shape, store, make, file: None }
    }

    pub(crate) fn file(mut self, file: PathBuf) -> Self {
        self.file = Some(file);
        self
    }
}

/// Microseconds for each unit: medians of the rounds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    #[serde(rename = "impl")]
    by: &'static str,
    shape: &'static str,
    store: &'static str,
    unit: &'static str,
    units: u64,
    wall_us: f64,
    cpu_us: f64,
    bytes: Option<u64>,
}

const STRETCH: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(2);
const LIMIT: Duration = Duration::from_secs(90);

pub(crate) async fn measure(case: Case) -> Result<Row, Failure> {
    let Case { by, shape, store, make, file } = case;
    let work = make.await?;
    let mut next = 0;
    let mut stretch = async |runs: u64| {
        let (work, first) = (Arc::clone(&work), next);
        next += runs;
        let runs = tokio::spawn(async move {
            let ready: Vec<_> = (first..first + runs).map(|run| work(run)).collect();
            let clock = (Instant::now(), processors());
            for run in ready {
                run.await?;
            }
            Ok::<_, Failure>((clock.0.elapsed(), processors().saturating_sub(clock.1)))
        });
        let (wall, cpu) =
            tokio::time::timeout(LIMIT, runs).await.map_err(|_| format!("not done after {LIMIT:?}"))???;
        let each = |time: Duration| time.as_secs_f64() * 1e6 / (runs_of(first, next) * shape.units) as f64;
        Ok::<_, Failure>((each(wall), each(cpu), wall))
    };
    let (wall, cpu, once) = stretch(1).await?;
    let bytes = file.map(|file| size(&file)).transpose()?;
    let (mut walls, mut cpus) = (vec![wall], vec![cpu]);
    if once < PATIENCE {
        let runs = (STRETCH.as_nanos() / once.as_nanos().max(1)).clamp(1, 10_000) as u64;
        let round = (once * runs as u32).max(Duration::from_millis(1));
        let rounds = (PATIENCE.as_nanos() / round.as_nanos()).clamp(1, 25);
        (walls, cpus) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (wall, cpu, _) = stretch(runs).await?;
            walls.push(wall);
            cpus.push(cpu);
        }
    }
    let Shape { name, unit, units } = shape;
    Ok(Row { by, shape: name, store, unit, units, wall_us: median(walls), cpu_us: median(cpus), bytes })
}

fn runs_of(first: u64, next: u64) -> u64 {
    next - first
}

fn processors() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Bytes of a database and of its log.
fn size(file: &std::path::Path) -> Result<u64, Failure> {
    let log = file.with_extension("db-wal");
    Ok(std::fs::metadata(file)?.len() + std::fs::metadata(log).map_or(0, |log| log.len()))
}

impl Row {
    pub(crate) fn head() -> String {
        format!("{:<12} {:<10} {:<22} {:>12} {:>12} {:>12}", "shape", "store", "runtime", "wall µs", "cpu µs", "bytes")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes.map_or_else(String::new, |bytes| bytes.to_string());
        let Self { by, shape, store, wall_us, cpu_us, .. } = self;
        write!(f, "{shape:<12} {store:<10} {by:<22} {wall_us:>12.3} {cpu_us:>12.3} {bytes:>12}")
    }
}
