//! A small chat model that runs inside the process.
