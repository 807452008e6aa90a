//! Typed, durable state graphs: nodes, edges, super-steps, checkpoints, interrupts, subgraphs and streams.
