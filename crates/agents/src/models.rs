//! Which model plays which role.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use graphloom_core_graph::Context;
use graphloom_llm::ChatModel;

use crate::ToldModel;

/// The models of a run: one default, and others for the roles that differ (`plan`, `write`, `search`, …).
#[derive(Clone)]
pub struct Models {
    default: Arc<dyn ChatModel>,
    by_role: BTreeMap<String, Arc<dyn ChatModel>>,
}

impl Models {
    /// One model for every role.
    pub fn new(default: Arc<dyn ChatModel>) -> Self {
        Self { default, by_role: BTreeMap::new() }
    }

    /// Sets another model for one role.
    #[must_use]
    pub fn with_role(mut self, role: impl Into<String>, model: Arc<dyn ChatModel>) -> Self {
        self.by_role.insert(role.into(), model);
        self
    }

    /// The same roles, with another model for each, such as a layer around it.
    #[must_use]
    pub fn map(&self, change: impl Fn(&Arc<dyn ChatModel>) -> Arc<dyn ChatModel>) -> Self {
        self.map_roles(|_, model| change(model))
    }

    /// As [`map`](Self::map), with the role of each model that is not the default.
    #[must_use]
    pub fn map_roles(&self, change: impl Fn(Option<&str>, &Arc<dyn ChatModel>) -> Arc<dyn ChatModel>) -> Self {
        let by_role = self.by_role.iter().map(|(role, model)| (role.clone(), change(Some(role), model))).collect();
        Self { default: change(None, &self.default), by_role }
    }

    /// The same models, whose calls are [told](ToldModel) to those who follow the run of a task.
    #[must_use]
    pub fn told<Cx: Send + Sync + 'static>(&self, cx: &Context<Cx>) -> Self {
        self.map_roles(|role, model| Arc::new(ToldModel::new(cx, model, role)))
    }

    /// The model for a role.
    pub fn role(&self, role: &str) -> &Arc<dyn ChatModel> {
        self.by_role.get(role).unwrap_or(&self.default)
    }

    /// The roles that have a model of their own.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.by_role.keys().map(String::as_str)
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        map.entry(&"default", &self.default.id().to_string());
        for (role, model) in &self.by_role {
            map.entry(role, &model.id().to_string());
        }
        map.finish()
    }
}
