//! Tasks on real workers over a real PostgreSQL: some in this process, some in processes that are killed, stopped and continued.

mod chaos;
mod encrypted;
mod limits;
mod pages;
mod processes;
mod settings;
mod spread;
