//! The library at its public boundary, on scripted models.

mod flow;
mod index;
mod tools;
