//! One agent of a team.

use std::fmt;

use graphloom_core_graph::{Compiled, Node, Task};

use crate::react::{self, Assignment, ReactResources, ReactState};

/// One agent of a team: what it is for, how it works, and what it works with.
#[derive(Clone)]
#[non_exhaustive]
pub struct TeamMember {
    /// Its name, by which the lead calls it: lower case letters, digits and `_`.
    pub name: String,
    /// What it is for, which the lead reads.
    pub description: String,
    /// What it is told before each of its tasks.
    pub instructions: String,
    /// Its model, tools and limits.
    pub resources: ReactResources,
    /// The agents that it can hand on a task to.
    pub hands_to: Vec<String>,
    /// The graph that it runs; [`react::graph`] unless set.
    pub graph: Compiled<ReactState, ReactResources>,
}

impl TeamMember {
    /// An agent that runs [`react::graph`] and hands nothing on.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        instructions: impl Into<String>,
        resources: ReactResources,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            instructions: instructions.into(),
            resources,
            hands_to: Vec::new(),
            graph: react::graph(),
        }
    }

    /// Lets it hand on a task to these agents.
    #[must_use]
    pub fn handing_to<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.hands_to.extend(names.into_iter().map(Into::into));
        self
    }

    /// The key of its node.
    pub fn node(&self) -> Node {
        Node::owned(self.name.as_str())
    }

    /// The key of its node, for tasks.
    pub(super) fn task(&self) -> Task<Assignment> {
        task(&self.name)
    }
}

/// The key of the node of an agent, for tasks.
pub(crate) fn task(name: &str) -> Task<Assignment> {
    Task::owned(name)
}

impl fmt::Debug for TeamMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TeamMember")
            .field("name", &self.name)
            .field("resources", &self.resources)
            .field("hands_to", &self.hands_to)
            .finish_non_exhaustive()
    }
}
