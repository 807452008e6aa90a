//! Declarative status tables and hierarchical task trees.
