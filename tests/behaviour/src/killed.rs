//! The graph of the program that is killed.
