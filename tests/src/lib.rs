//! Cross-crate tests of Graphloom, and the examples of its guides.

pub mod rows;

#[cfg(doctest)]
#[doc = include_str!("../../docs/getting-started.md")]
struct GettingStarted;

#[cfg(doctest)]
#[doc = include_str!("../../docs/durability.md")]
struct Durability;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts.md")]
struct Concepts;

#[cfg(doctest)]
#[doc = include_str!("../../docs/from-langgraph.md")]
struct FromLangGraph;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/state.md")]
struct ConceptState;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/versions.md")]
struct ConceptVersions;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/steps.md")]
struct ConceptSteps;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/joins.md")]
struct ConceptJoins;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/routing.md")]
struct ConceptRouting;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/compile.md")]
struct ConceptCompile;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/subgraphs.md")]
struct ConceptSubgraphs;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/subgraph-persistence.md")]
struct ConceptSubgraphPersistence;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/failures.md")]
struct ConceptFailures;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/durable-steps.md")]
struct ConceptDurableSteps;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/limits.md")]
struct ConceptLimits;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/stops.md")]
struct ConceptStops;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/questions.md")]
struct ConceptQuestions;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/threads.md")]
struct ConceptThreads;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/events.md")]
struct ConceptEvents;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/memory.md")]
struct ConceptMemory;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/dynamic.md")]
struct ConceptDynamic;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/simulation.md")]
struct ConceptSimulation;

#[cfg(doctest)]
#[doc = include_str!("../../docs/concepts/executors.md")]
struct ConceptExecutors;
