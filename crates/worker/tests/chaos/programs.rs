//! The processes: workers, and drivers that bring their threads to the end whatever happens.

use std::time::Duration;

use graphloom_chaos::ProgramSettings;
use graphloom_worker::{QueueOptions, TaskQueue, Worker};

fn queue_options() -> QueueOptions {
    QueueOptions::default().heartbeat(Duration::from_millis(500)).max_connections(4)
}

/// A process that executes tasks; as a test it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_program() {
    let Some(told) = ProgramSettings::here() else { return };
    let url = told.variable("CHAOS_QUEUE");
    loop {
        // The database may be away when it begins.
        let worked = async {
            let worker = Worker::connect(&url, &queue_options()).await?;
            worker.serve(told.app()).concurrency(8).run(std::future::pending()).await
        };
        if let Err(error) = worked.await {
            told.failed(&error.to_string()).await;
        }
    }
}

/// A process that drives threads to their ends; as a test it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn driver_program() {
    let Some(told) = ProgramSettings::here() else { return };
    let url = told.variable("CHAOS_QUEUE");
    told.drive(async || TaskQueue::connect(&url, &queue_options()).await.map_err(|error| error.to_string())).await;
}
