//! Tasks and threads on a real engine: endpoints in this process, and in processes that are killed, stopped and continued.

mod chaos;
mod figures;
mod pages;
mod places;
mod processes;
mod settings;
mod spread;
mod threads;
mod unreachable;
