//! Tests of transactions.
