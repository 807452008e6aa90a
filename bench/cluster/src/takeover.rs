//! How long it takes until another worker has the task of one that was killed.

use std::time::{Duration, Instant};

use graphloom_core_graph::Threads;
use graphloom_worker::{QueueOptions, QueueStatus};

use crate::graphs::Work;
use crate::processes::Workers;
use crate::{Outcome, name, warm};

/// How long the task waits by itself.
const PAUSE: u64 = 500;

/// Kills the worker of a task so many times, and tells how long the run took from then on without the time of the task itself.
pub(crate) async fn tell(url: &str, wide: &Threads<Work>, times: usize) -> Outcome<()> {
    let options = QueueOptions::default();
    let mut took = Vec::new();
    for _ in 0..times {
        let mut workers = vec![Workers::start(url, 1)?, Workers::start(url, 1)?];
        warm(wide).await?;
        until(url, |status| status.members.iter().filter(|member| member.is_worker).count() == 2).await?;
        let thread = wide.thread(name());
        let run = tokio::spawn(async move { thread.run(Work::update().size(1).pause(PAUSE)).await.map(drop) });
        let executing = |status: &QueueStatus| {
            let worker =
                status.tasks.iter().find(|task| task.name.starts_with("part")).and_then(|task| task.worker.clone())?;
            Some(status.members.iter().find(|member| member.id == worker)?.process)
        };
        let status = until(url, |status| executing(status).is_some()).await?;
        let process = executing(&status).unwrap_or_default();
        workers.retain(|worker| !worker.processes().contains(&process));
        let killed = Instant::now();
        assert_eq!(workers.len(), 1, "one was killed");
        run.await??;
        took.push(killed.elapsed().saturating_sub(Duration::from_millis(PAUSE)));
    }
    took.sort();
    let at = |index: usize| took.get(index).map_or(0.0, Duration::as_secs_f64);
    println!(
        "\na worker is killed in the middle of a task, and another one is there: seconds until that has the task\n\n{:>8} {:>8} {:>8}\n{:>8.1} {:>8.1} {:>8.1}",
        "least",
        "median",
        "most",
        at(0),
        at(times / 2),
        at(times - 1)
    );
    println!("heartbeat: {} s", options.heartbeat.as_secs_f64());
    Ok(())
}

/// Waits until the queue is so.
async fn until(url: &str, is_so: impl Fn(&QueueStatus) -> bool) -> Outcome<QueueStatus> {
    let late = Instant::now() + Duration::from_secs(30);
    while Instant::now() < late {
        let status = QueueStatus::read(url, &QueueOptions::default(), 10).await?.ok_or("there is no queue")?;
        if is_so(&status) {
            return Ok(status);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Err("the queue does not come to what is waited for".into())
}
