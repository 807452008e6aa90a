//! The derive macro of graphloom-core-graph.
