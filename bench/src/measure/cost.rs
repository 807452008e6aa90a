//! What work costs: time on the wall, and time of the processors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use rustix::time::{ClockId, clock_gettime};

use super::floor::Floor;
use crate::Failure;

/// A clock of both times. The processors' is that of the whole process, all threads together.
#[derive(Debug)]
pub(crate) struct Clock {
    wall: Instant,
    processors: Duration,
}

/// Microseconds for each unit of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { processors: processors(), wall: Instant::now() }
    }

    /// The time since the start, shared out over `units`.
    pub(crate) fn cost(&self, units: u64) -> Cost {
        let (wall, cpu) = (self.wall.elapsed(), processors().saturating_sub(self.processors));
        let each = |time: Duration| time.as_secs_f64() * 1e6 / units.max(1) as f64;
        Cost { wall: each(wall), cpu: each(cpu) }
    }
}

fn processors() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// Medians of several rounds, in which floor and subject take turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared {
    pub(crate) subject: Cost,
    pub(crate) floor: Option<Cost>,
    /// How many floors the subject costs, by either time.
    pub(crate) ratio: Option<Cost>,
}

/// Work on something prepared outside the clock, which lives until the clock has stopped.
pub(crate) type Work<P> = Arc<dyn Fn(P) -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// A measured stretch is at least this long, so that the clock's own cost does not count.
const STRETCH: Duration = Duration::from_millis(10);
const ROUNDS: std::ops::RangeInclusive<usize> = 3..=25;

/// Measures `work`, which does `units`, next to its floor, for about as long as `patience`.
///
/// Work and floor run as tasks on the workers, as in a program, not on the thread that waits for them.
pub(crate) async fn compare<P: Clone + Send + 'static>(
    units: u64,
    patience: Duration,
    floor: &Floor,
    mut prepare: impl FnMut() -> Result<P, Failure>,
    work: &Work<P>,
) -> Result<Compared, Failure> {
    let begun = Instant::now();
    let first = stretch(vec![prepare()?], work, units).await?;
    let once = Duration::from_secs_f64(first.wall * units as f64 / 1e6).max(Duration::from_nanos(1));
    let repeats = (STRETCH.as_nanos() / once.as_nanos()).clamp(1, 10_000);
    let round = begun.elapsed().max(STRETCH);
    let rounds = (patience.as_nanos() / round.as_nanos()).try_into().unwrap_or(usize::MAX);
    let rounds = rounds.clamp(*ROUNDS.start(), *ROUNDS.end());
    let (mut subjects, mut floors) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        floors.extend(floor.cost().await?);
        let prepared = (0..repeats).map(|_| prepare()).collect::<Result<Vec<_>, _>>()?;
        subjects.push(stretch(prepared, work, units).await?);
    }
    let ratios: Vec<_> = subjects
        .iter()
        .zip(&floors)
        .map(|(subject, floor)| Cost { wall: subject.wall / floor.wall, cpu: subject.cpu / floor.cpu })
        .collect();
    Ok(Compared {
        subject: median(&subjects).ok_or("nothing was measured")?,
        floor: median(&floors),
        ratio: median(&ratios),
    })
}

async fn stretch<P: Clone + Send + 'static>(prepared: Vec<P>, work: &Work<P>, units: u64) -> Result<Cost, Failure> {
    let work = Arc::clone(work);
    let (cost, _) = tokio::spawn(async move {
        let kept = prepared.clone();
        let clock = Clock::start();
        for one in prepared {
            work(one).await?;
        }
        Ok::<_, Failure>((clock.cost(units * kept.len() as u64), kept))
    })
    .await??;
    Ok(cost)
}

/// The median of each time; none of no costs.
pub(crate) fn median(costs: &[Cost]) -> Option<Cost> {
    let middle = |time: fn(&Cost) -> f64| {
        let mut times: Vec<_> = costs.iter().map(time).collect();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    };
    Some(Cost { wall: middle(|cost| cost.wall)?, cpu: middle(|cost| cost.cpu)? })
}
