//! Workers, each a process of this program.

use std::process::{Child, Command};

use graphloom_core_graph::App;
use graphloom_worker::{QueueOptions, Worker};

use crate::{Outcome, graphs};

/// Workers that end when this is dropped.
pub(crate) struct Workers(Vec<Child>);

impl Workers {
    pub(crate) fn start(url: &str, workers: usize) -> Outcome<Self> {
        let program = std::env::current_exe()?;
        let start = |_| Command::new(&program).args(["--worker", url]).spawn();
        Ok(Self((0..workers).map(start).collect::<Result<_, _>>()?))
    }

    /// Their numbers on this machine.
    pub(crate) fn processes(&self) -> Vec<u32> {
        self.0.iter().map(Child::id).collect()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.0 {
            worker.kill().ok();
            worker.wait().ok();
        }
    }
}

/// Executes tasks until the process is killed.
pub(crate) async fn work(url: &str, places: usize) -> Outcome<()> {
    let worker = Worker::connect(url, &QueueOptions::default()).await?.concurrency(places);
    let worker = worker.serve(App::from(&graphs::steps()?)).serve(App::from(&graphs::wide()?));
    Ok(worker.run(std::future::pending()).await?)
}
