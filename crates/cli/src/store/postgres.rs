//! The PostgreSQL database that a variable names.

use std::sync::Arc;
use std::time::Duration;

use graphloom_checkpoint_encrypted::{Encrypted, Keyring};
use graphloom_checkpoint_postgres::{PostgresCheckpointer, PostgresOptions};
use graphloom_core_graph::checkpoint::Checkpointer;
use graphloom_core_graph::store::{Signals, Store};
use graphloom_llm::providers::without_user;

use super::{Lease, RunStore, variable};
use crate::{CliError, Failure};

/// The variable of the address, which may hold a password.
const ADDRESS: &str = "GRAPHLOOM_POSTGRES_URL";

/// How long the end of a program waits for its server.
const FAREWELL: Duration = Duration::from_secs(3);

/// The address, which the variable or its file has.
pub(super) fn address() -> Result<String, CliError> {
    let missing = || {
        CliError::usage(format!(
            "the store `postgres` needs an address: set `{ADDRESS}` to `postgres://USER:PASSWORD@HOST/DATABASE`, or \
             `{ADDRESS}_FILE` to a file that holds it"
        ))
    };
    let address = variable::read(ADDRESS)?.ok_or_else(missing)?;
    if !address.starts_with("postgres://") && !address.starts_with("postgresql://") {
        return Err(CliError::usage(format!("`{ADDRESS}` must begin with `postgres://`")));
    }
    Ok(address)
}

/// The address for people: without user, password and settings.
pub(super) fn place(address: &str) -> String {
    without_user(address.split('?').next().unwrap_or(address))
}

/// Whether something may have been kept there; looking makes no tables.
pub(super) async fn is_there() -> Result<bool, Failure> {
    Ok(PostgresCheckpointer::is_there(&address()?, &PostgresOptions::default()).await?)
}

/// Connects, and makes the tables where there are none. A server that shares its runs with others tells more often that it
/// lives, and is silent for a shorter time before they take its runs over. With keys its values are encrypted; signals say only that
/// something changed.
pub(super) async fn open(
    shared: Option<Lease>,
    keys: Option<Keyring>,
) -> Result<(RunStore, PostgresCheckpointer), Failure> {
    let address = address()?;
    let options = match shared {
        Some(Lease { every, expiry }) => PostgresOptions::default().heartbeat(every, expiry).patience(expiry * 2),
        None => PostgresOptions::default(),
    };
    let server = PostgresCheckpointer::connect_with(&address, &options).await?;
    let memory = server.store();
    let signals = shared.map(|_| Arc::new(memory.signals()) as Arc<dyn Signals>);
    let (checkpointer, memory): (Arc<dyn Checkpointer>, Arc<dyn Store>) = match keys {
        None => (Arc::new(server.clone()), Arc::new(memory)),
        Some(keys) => (Arc::new(Encrypted::new(server.clone(), keys.clone())), Arc::new(Encrypted::new(memory, keys))),
    };
    Ok((RunStore { memory, checkpointer, place: place(&address), signals }, server))
}

/// Gives the runs back, so that the next program need not wait until this one is thought dead.
pub(super) async fn close(server: PostgresCheckpointer) {
    tokio::time::timeout(FAREWELL, server.close()).await.ok();
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_place_has_no_password() {
        for address in
            ["postgres://ada:secret@db.example/runs?sslmode=require", "postgres://db.example/runs?password=secret"]
        {
            let place = super::place(address);
            assert!(place.contains("db.example/runs") && !place.contains("secret"), "{place}");
        }
    }
}
