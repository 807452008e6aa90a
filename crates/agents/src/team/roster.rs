//! Who is in a team.

use std::collections::BTreeMap;
use std::sync::Arc;

use graphloom_core_graph::{CompileErrors, Compiled, GraphOptions};

use super::tools::{CallAgent, HAND_ON, HandOn};
use super::{TeamMember, graph};
use crate::AgentError;
use crate::profile::quoted;
use crate::react::{COMPACT, DISPATCH, MODEL, ReactResources, ReactState, TOOL};

/// A lead and the agents under it.
#[derive(Clone, Debug)]
pub struct Team {
    lead: ReactResources,
    members: Vec<TeamMember>,
}

impl Team {
    /// A team. The lead gets a tool for each agent, beside those that it has.
    ///
    /// # Errors
    /// [`AgentError::Team`] for a name that is none, is there twice, or is that of nobody; [`AgentError::Tool`] where the lead has
    /// a tool of such a name.
    pub fn new(mut lead: ReactResources, members: impl IntoIterator<Item = TeamMember>) -> Result<Self, AgentError> {
        let mut members: Vec<TeamMember> = members.into_iter().collect();
        let names: Vec<String> = members.iter().map(|member| member.name.clone()).collect();
        let (model, compact, dispatch, tool) = (MODEL, COMPACT, DISPATCH, TOOL);
        let nodes = [model.as_str(), compact.as_str(), dispatch.as_str(), tool.as_str()];
        for (at, member) in members.iter().enumerate() {
            let name = &member.name;
            let wrong = |message: String| AgentError::Team { agent: name.clone(), message };
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
                return Err(wrong("a name has at most 64 lower case letters, digits and `_`".to_owned()));
            }
            if nodes.contains(&name.as_str()) {
                return Err(wrong(format!("the graph has nodes {}, so no agent has such a name", quoted(nodes))));
            }
            if names[..at].contains(name) {
                return Err(wrong("there is already an agent of this name".to_owned()));
            }
            if let Some(unknown) = member.hands_to.iter().find(|to| !names.contains(to) || *to == name) {
                return Err(wrong(format!("it cannot hand on to `{unknown}`; the others are {}", quoted(&names))));
            }
        }
        let descriptions: BTreeMap<String, String> =
            members.iter().map(|member| (member.name.clone(), member.description.clone())).collect();
        for member in &mut members {
            lead.tools.register(Arc::new(CallAgent::new(&member.name, &member.description)))?;
            if !member.hands_to.is_empty() {
                member.resources.tools.register(Arc::new(HandOn::new(&member.hands_to, &descriptions)))?;
                member.resources.ending.insert(HAND_ON.to_owned());
            }
        }
        let agents = members.iter().map(|member| (member.name.clone(), member.resources.clone())).collect();
        lead.agents = Arc::new(agents);
        Ok(Self { lead, members })
    }

    /// The agents under the lead.
    pub fn members(&self) -> &[TeamMember] {
        &self.members
    }

    /// What the [graph](Self::graph) works with.
    pub fn resources(&self) -> ReactResources {
        self.lead.clone()
    }

    /// The team as a graph.
    pub fn graph(&self) -> Compiled<ReactState, ReactResources> {
        graph::graph(&self.members)
    }

    /// The team as a graph, with other functions in its nodes or other limits.
    ///
    /// # Errors
    /// An option that names no node of the graph, or does not fit it.
    pub fn graph_with(
        &self,
        options: GraphOptions<ReactState, ReactResources>,
    ) -> Result<Compiled<ReactState, ReactResources>, CompileErrors> {
        graph::graph_with(&self.members, options)
    }
}
