//! Workers, drivers and the database that die, stand still and are cut off at random: nothing that was acknowledged is lost, no
//! durable step has two results, and no run is stuck. `graphloom_chaos` says what is drawn, and which settings there are.

mod programs;

use graphloom_chaos::{Network, Place, Program, Servers, Settings};
use graphloom_postgres_server::{Server, url_at};
use graphloom_worker::{QueueOptions, QueueStatus};
use sqlx::Connection;

/// Threads and the queue are in one database.
struct Database(Server);

impl Servers for Database {
    fn database(&self) -> &Server {
        &self.0
    }

    fn mortal(&self) -> Vec<(&'static str, u32)> {
        vec![("database", 10)]
    }

    fn kill(&mut self, _: &str) {
        self.0.crash();
    }

    fn told(&mut self, _: Program, place: &Place) -> Vec<(&'static str, String)> {
        let database = self.0.address().expect("the database is on the network");
        vec![("CHAOS_QUEUE", url_at(place.way_to(database)))]
    }

    async fn left(&self) -> u64 {
        let mut connection = sqlx::PgConnection::connect(&self.0.url()).await.expect("a connection");
        let tasks = sqlx::query_scalar("SELECT count(*) FROM graphloom_work.tasks").fetch_one(&mut connection);
        let tasks: i64 = tasks.await.expect("they are counted");
        tasks.unsigned_abs()
    }

    async fn described(&self) -> String {
        format!("{:#?}", QueueStatus::read(&self.0.url(), &QueueOptions::default(), 20).await)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_dies_stands_still_or_is_cut_off_loses_and_doubles_nothing() {
    let (settings, network) = (Settings::told(), Network::open());
    println!("{settings:?}; {network}");
    let mut database = Database(Server::start_at(network.address()));
    println!("{}", graphloom_chaos::run(&settings, &network, &mut database).await);
}
