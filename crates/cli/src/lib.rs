//! The command line that all Graphloom applications share.
