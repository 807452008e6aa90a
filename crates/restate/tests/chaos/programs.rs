//! The processes: endpoints that execute tasks, and drivers that bring their threads to the end whatever happens.

use std::time::Duration;

use graphloom_chaos::ProgramSettings;
use graphloom_restate::{Endpoint, Engine, EngineOptions};

fn options(told: &ProgramSettings) -> EngineOptions {
    let options = EngineOptions::new(&told.variable("CHAOS_ENGINE")).expect("an address");
    options.silence(Duration::from_secs(3))
}

/// A process that executes tasks; as a test it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_program() {
    let Some(told) = ProgramSettings::here() else { return };
    let (at, reached_at) = (told.variable("CHAOS_LISTEN"), told.variable("CHAOS_REACHED"));
    loop {
        let endpoint = Endpoint::new(&options(&told)).serve(told.app()).concurrency(8);
        let endpoint = endpoint.listen(at.parse().expect("an address"));
        let endpoint = endpoint.advertise(&format!("http://{reached_at}")).expect("an address");
        // The engine may find nobody at the address, as while the network is cut.
        if let Err(error) = endpoint.run(std::future::pending()).await {
            told.failed(&error.to_string()).await;
        }
    }
}

/// A process that drives threads to their ends; as a test it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn driver_program() {
    let Some(told) = ProgramSettings::here() else { return };
    let (at, reached_at) = (told.variable("CHAOS_LISTEN"), told.variable("CHAOS_REACHED"));
    let options = options(&told).callbacks(at.parse().expect("an address"));
    let options = options.callbacks_at(&format!("http://{reached_at}")).expect("an address");
    told.drive(async || Engine::connect(&options).await.map_err(|error| error.to_string())).await;
}
