//! Endpoints, drivers, the engine and the database that die, stand still and are cut off at random: nothing that was acknowledged is
//! lost, no durable step has two results, and no run is stuck. `graphloom_chaos` says what is drawn, and which settings there are.
//!
//! Threads are in PostgreSQL: drivers that replace each other on several machines need a store that all of them reach, and that
//! refuses the one that was replaced. Endpoints are behind a balancer, since the engine knows one address for all of them.

mod balancer;
mod programs;

use graphloom_chaos::{Listening, Network, Place, Program, Servers, Settings};
use graphloom_postgres_server::Server as Database;
use graphloom_restate_server::{Engine, url_at};
use serde_json::{Value, json};

pub(crate) use self::balancer::Balancer;

/// The engine brings tasks to endpoints; threads are in a database.
struct EngineAndDatabase {
    engine: Engine,
    database: Database,
    balancer: Balancer,
}

impl Servers for EngineAndDatabase {
    fn database(&self) -> &Database {
        &self.database
    }

    fn mortal(&self) -> Vec<(&'static str, u32)> {
        // An engine takes some seconds to lead its partitions again.
        vec![("engine", 2), ("database", 5)]
    }

    fn kill(&mut self, name: &str) {
        match name {
            "engine" => {
                self.engine.kill();
                self.engine.begin();
            }
            _ => self.database.crash(),
        }
    }

    fn told(&mut self, program: Program, place: &Place) -> Vec<(&'static str, String)> {
        let (ingress, admin) = (self.engine.ingress_address(), self.engine.admin_address());
        let engine = url_at(place.way_to(ingress), place.way_to(admin));
        let Listening { at, reached_at } = place.listening();
        let reached_at = match program {
            Program::Worker => {
                self.balancer.add(reached_at);
                self.balancer.address()
            }
            Program::Driver => reached_at,
        };
        vec![("CHAOS_ENGINE", engine), ("CHAOS_LISTEN", at.to_string()), ("CHAOS_REACHED", reached_at.to_string())]
    }

    async fn left(&self) -> u64 {
        let counted = self.rows("SELECT count(*) AS n FROM sys_invocation WHERE status <> 'completed'").await;
        // An engine that has just begun may not answer.
        counted["rows"][0]["n"].as_u64().unwrap_or(u64::MAX)
    }

    async fn described(&self) -> String {
        let query = "SELECT id, status, retry_count, next_retry_at, last_failure FROM sys_invocation WHERE status <> 'completed'";
        format!("{:#}\n{}", self.rows(query).await, self.engine.log())
    }
}

impl EngineAndDatabase {
    /// What a query of the engine's tables gives.
    async fn rows(&self, query: &str) -> Value {
        let request = crate::threads::client().post(format!("{}/query", self.engine.admin()));
        let request = request.header("accept", "application/json").header("content-type", "application/json");
        let answer = request.body(json!({ "query": query }).to_string()).send().await;
        let Ok(answer) = answer else { return Value::Null };
        let text = answer.text().await.unwrap_or_default();
        serde_json::from_str(&text).unwrap_or(Value::String(text))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_dies_stands_still_or_is_cut_off_loses_and_doubles_nothing() {
    let (settings, network) = (Settings::told(), Network::open());
    println!("{settings:?}; {network}");
    let engine = Engine::start_at(network.address());
    let database = Database::start_at(network.address());
    let balancer = Balancer::open(network.address()).await;
    let mut servers = EngineAndDatabase { engine, database, balancer };
    println!("{}", graphloom_chaos::run(&settings, &network, &mut servers).await);
}
