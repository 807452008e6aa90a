//! A SQLite checkpointer and long-term store for graphloom-core-graph.
