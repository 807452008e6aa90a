//! The stress run on as many threads as there are cores, small enough for every run of the tests.

use std::thread::available_parallelism;

use graphloom_races::stress::{self, Load};

#[test]
fn states_and_journals_add_up_whatever_drivers_and_subscribers_do() {
    let cores = available_parallelism().map_or(2, usize::from).max(2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(cores).enable_time().build().unwrap();
    let tally = runtime.block_on(stress::run(Load { drivers: 4, threads: 2, runs: 8, width: 24 }));
    // One run in each of the three files and in memory is held until another one was refused.
    let refused = tally.busy.into_inner();
    assert!(refused >= 4, "no lease was fought for: {refused}");
}
