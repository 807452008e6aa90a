//! The configuration: `agent_config` and `service_config` of the original as one.
//!
//! Every key of the original is here under its name, with its default and range. A secret is read and never written:
//! see [`Secret`].

mod check;
mod choice;
mod models;
mod search;
mod secret;

pub use choice::{ExecuteMode, ExecutionMethod, FeedbackMode, SearchMethod, TeamOrder, Unsupported};
pub use models::{LlmConfig, LlmConfigs, ModelType};
pub use search::{CustomSearchConfig, LocalSearchConfig, WebSearchConfig};
pub use secret::Secret;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The configuration of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Config {
    /// `commercial` or `general`; without effect, for no graph asks for it.
    pub execute_mode: ExecuteMode,
    /// Which main graph runs.
    pub execution_method: ExecutionMethod,
    /// Whether clarifying questions are asked.
    pub workflow_human_in_the_loop: bool,
    /// The most sections of an outline, 1 to 10.
    pub outliner_max_section_num: u32,
    /// Whether the outline is shown to the user.
    pub outline_interaction_enabled: bool,
    /// The most rounds about the outline, 1 to 100.
    pub outline_interaction_max_rounds: u32,
    /// Whether citations of the report are traced and checked.
    pub source_tracer_research_trace_source_switch: bool,
    /// Whether citations that the writer made are kept beside those that the tracer finds.
    pub source_tracer_generated_citation_switch: bool,
    /// Whether conclusions get provenance graphs.
    pub source_tracer_infer_switch: bool,
    /// The models by slot.
    pub llm_config: LlmConfigs,
    /// Where documents are searched.
    pub info_collector_search_method: SearchMethod,
    /// The web engine.
    pub web_search_engine_config: WebSearchConfig,
    /// The local engine.
    pub local_search_engine_config: LocalSearchConfig,
    /// A web engine of the user; not supported, setting it is an error (211302).
    pub custom_web_search_config: CustomSearchConfig,
    /// A local engine of the user; not supported, setting it is an error (211302).
    pub custom_local_search_config: CustomSearchConfig,
    /// Searches of the web a second, 0 for no limit.
    pub web_search_max_qps: f64,
    /// Whether the report can be changed after it is done.
    pub user_feedback_processor_enable: bool,
    /// The most changes, 1 to 100.
    pub user_feedback_processor_max_interactions: u32,
    /// Whether charts of the whole report are drawn.
    pub vlm_chart_generator_enable: bool,
    /// Rounds of the vision critic, 0 to 3; 0 draws without it.
    pub vlm_chart_generator_max_iterations: u32,

    /// Origins that a server would allow; without effect, for there is no server.
    pub service_allow_origins: Vec<String>,
    /// Tries of making a template from a sample; without effect, for templates are given and not made.
    pub template_max_generate_retry_num: u32,
    /// Seconds of a whole run.
    pub workflow_execution_timeout: u64,
    /// Seconds after which a section makes no further plan and is written from what was found.
    pub workflow_sub_graph_execution_timeout: u64,
    /// The most plans of a section.
    pub workflow_max_plan_executed_num: u32,
    /// The most steps of one graph in one go, from its input or an answer on (212415).
    pub workflow_recursion_limit: u32,
    /// Tries of the clarifying questions.
    pub workflow_max_gen_question_retry_num: u32,
    /// How the user is asked: on the terminal or by payloads.
    pub workflow_feedback_mode: FeedbackMode,
    /// Tries of an outline.
    pub outliner_max_generate_outline_retry_num: u32,
    /// The slot of the outline, empty for `plan_understanding`.
    pub outliner_specified_llm: String,
    /// The most steps of a plan.
    pub planner_max_step_num: u32,
    /// The slot of the planner, empty for `plan_understanding`.
    pub planner_specified_llm: String,
    /// Tries of a plan.
    pub planner_max_retry_num: u32,
    /// Turns of the collector for one query.
    pub info_collector_max_react_recursion_limit: u32,
    /// Queries that a step begins with.
    pub info_collector_initial_search_query_count: u32,
    /// Rounds of a step.
    pub info_collector_max_research_loops: u32,
    /// Tries of the collector's calls.
    pub info_collector_max_retry_num: u32,
    /// Whether code may be run; it cannot, so `true` is an error.
    pub info_collector_allow_programmer: bool,
    /// Documents that are classified at once.
    pub sub_report_classify_doc_infos_single_time_num: u32,
    /// Documents that a section is written from.
    pub sub_report_classify_doc_infos_res_top_k_num: u32,
    /// Tries of report texts.
    pub report_max_generate_retry_num: u32,
    /// Whether sections get charts of their own, drawn while they are written. Charts of the whole report turn it off.
    pub visualization_enable: bool,
    /// Citations that are checked at the same time.
    pub source_tracer_citation_verify_max_concurrency_num: u32,
    /// Citations in one call of the checker.
    pub source_tracer_citation_verify_batch_size: u32,
    /// Whether the command tells how long each node took.
    pub stats_info_node_duration: bool,
    /// Whether the command tells calls and tokens of each model; sums are always in `run.json`.
    pub stats_info_llm: bool,
    /// Whether the command tells queries and documents of each section.
    pub stats_info_search: bool,
    /// Seconds of one call of a model.
    pub llm_timeout: u64,
    /// Whether nodes log what they do; without effect, for `-v` and `--log FILE` log the events of all nodes.
    pub node_debug_enable: bool,
    /// Whether the outlines and sections are written beside the report.
    pub export_intermediate_results: bool,

    /// Ours: the order of the dependency-driven team, `layered`, or `dataflow` without barriers.
    pub dependency_editor_team_order: TeamOrder,
    /// Ours: what becomes of statements that their sources do not support: `flag`, `rewrite` or `drop`.
    pub source_tracer_unsupported: Unsupported,
    /// Ours: sections that are worked on at the same time.
    pub editor_team_max_concurrency_num: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            execute_mode: ExecuteMode::Commercial,
            execution_method: ExecutionMethod::Parallel,
            workflow_human_in_the_loop: true,
            outliner_max_section_num: 5,
            outline_interaction_enabled: true,
            outline_interaction_max_rounds: 3,
            source_tracer_research_trace_source_switch: true,
            source_tracer_generated_citation_switch: true,
            source_tracer_infer_switch: true,
            llm_config: LlmConfigs::default(),
            info_collector_search_method: SearchMethod::Web,
            web_search_engine_config: WebSearchConfig::default(),
            local_search_engine_config: LocalSearchConfig::default(),
            custom_web_search_config: CustomSearchConfig::default(),
            custom_local_search_config: CustomSearchConfig::default(),
            web_search_max_qps: 0.0,
            user_feedback_processor_enable: false,
            user_feedback_processor_max_interactions: 100,
            vlm_chart_generator_enable: false,
            vlm_chart_generator_max_iterations: 1,
            service_allow_origins: Vec::new(),
            template_max_generate_retry_num: 3,
            workflow_execution_timeout: 7200,
            workflow_sub_graph_execution_timeout: 6000,
            workflow_max_plan_executed_num: 2,
            workflow_recursion_limit: 30,
            workflow_max_gen_question_retry_num: 3,
            workflow_feedback_mode: FeedbackMode::Cmd,
            outliner_max_generate_outline_retry_num: 3,
            outliner_specified_llm: String::new(),
            planner_max_step_num: 3,
            planner_specified_llm: String::new(),
            planner_max_retry_num: 3,
            info_collector_max_react_recursion_limit: 8,
            info_collector_initial_search_query_count: 3,
            info_collector_max_research_loops: 2,
            info_collector_max_retry_num: 3,
            info_collector_allow_programmer: false,
            sub_report_classify_doc_infos_single_time_num: 60,
            sub_report_classify_doc_infos_res_top_k_num: 10,
            report_max_generate_retry_num: 3,
            visualization_enable: true,
            source_tracer_citation_verify_max_concurrency_num: 30,
            source_tracer_citation_verify_batch_size: 1,
            stats_info_node_duration: false,
            stats_info_llm: false,
            stats_info_search: false,
            llm_timeout: 300,
            node_debug_enable: false,
            export_intermediate_results: false,
            dependency_editor_team_order: TeamOrder::Layered,
            source_tracer_unsupported: Unsupported::Flag,
            editor_team_max_concurrency_num: 5,
        }
    }
}

impl Config {
    /// All secrets with the names of their parameters, for a guard over what is written.
    pub fn secrets(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (slot, model) in self.llm_config.slots() {
            let name = format!("llm_config.{slot}");
            found.push((format!("{name}.api_key"), model.api_key.reveal().to_owned()));
            secret::collect(&format!("{name}.hyper_parameters"), &model.hyper_parameters, &mut found);
            secret::collect(&format!("{name}.extension"), &model.extension, &mut found);
        }
        let (web, local) = (&self.web_search_engine_config, &self.local_search_engine_config);
        found.push(("web_search_engine_config.search_api_key".to_owned(), web.search_api_key.reveal().to_owned()));
        found.push(("local_search_engine_config.search_api_key".to_owned(), local.search_api_key.reveal().to_owned()));
        for base in &local.knowledge_base_configs {
            secret::collect("local_search_engine_config.knowledge_base_configs", base, &mut found);
        }
        for (name, extension) in [
            ("web_search_engine_config", &web.extension),
            ("local_search_engine_config", &local.extension),
            ("custom_web_search_config", &self.custom_web_search_config.extension),
            ("custom_local_search_config", &self.custom_local_search_config.extension),
        ] {
            secret::collect(&format!("{name}.extension"), extension, &mut found);
        }
        found.retain(|(_, secret)| !secret.is_empty());
        found
    }

    /// The same configuration without secrets, as it may enter a state.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        self.llm_config.forget_secrets();
        self.web_search_engine_config.search_api_key = Secret::default();
        self.local_search_engine_config.search_api_key = Secret::default();
        for base in &mut self.local_search_engine_config.knowledge_base_configs {
            secret::forget(base);
        }
        for extension in [
            &mut self.web_search_engine_config.extension,
            &mut self.local_search_engine_config.extension,
            &mut self.custom_web_search_config.extension,
            &mut self.custom_local_search_config.extension,
        ] {
            secret::forget(extension);
        }
        self
    }
}

/// Whether a key of a table names a secret, for programs that print configurations.
pub fn is_secret(key: &str) -> bool {
    secret::is_secret(key)
}

/// A table without fixed keys.
type Extension = Value;
