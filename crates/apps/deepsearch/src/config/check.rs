//! What parameters may be.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::Config;
use crate::status::{Notice, StatusCode};

/// The longest address.
const MOST_URL: usize = 8192;

impl Config {
    /// Everything that is wrong with the values, as parameter errors. An empty list is a
    /// configuration that can run.
    pub fn check(&self) -> Vec<Notice> {
        let mut wrong = Vec::new();
        let mut range = |key: &str, value: u32, allowed: RangeInclusive<u32>| {
            if !allowed.contains(&value) {
                wrong.push(out_of_range(key, value, &format!("{} to {}", allowed.start(), allowed.end())));
            }
        };
        range("outliner_max_section_num", self.outliner_max_section_num, 1..=10);
        range("outline_interaction_max_rounds", self.outline_interaction_max_rounds, 1..=100);
        range("user_feedback_processor_max_interactions", self.user_feedback_processor_max_interactions, 1..=100);
        range("vlm_chart_generator_max_iterations", self.vlm_chart_generator_max_iterations, 0..=3);
        let web = &self.web_search_engine_config;
        range("web_search_engine_config.max_web_search_results", web.max_web_search_results, 1..=10);
        let local = &self.local_search_engine_config;
        range("local_search_engine_config.max_local_search_results", local.max_local_search_results, 1..=10);
        for (key, value) in self.counts() {
            range(key, value, 1..=10_000);
        }
        if !(0.0..=1.0).contains(&local.recall_threshold) {
            let key = "local_search_engine_config.recall_threshold";
            wrong.push(out_of_range(key, local.recall_threshold, "0 to 1"));
        }
        if !(self.web_search_max_qps >= 0.0 && self.web_search_max_qps.is_finite()) {
            wrong.push(out_of_range("web_search_max_qps", self.web_search_max_qps, "0 or more"));
        }
        for (key, value) in [
            ("workflow_execution_timeout", self.workflow_execution_timeout),
            ("workflow_sub_graph_execution_timeout", self.workflow_sub_graph_execution_timeout),
            ("llm_timeout", self.llm_timeout),
        ] {
            if value == 0 {
                wrong.push(out_of_range(key, value, "1 second or more"));
            }
        }
        self.check_words(&mut wrong);
        self.check_addresses(&mut wrong);
        wrong
    }

    /// Parameters that count tries, rounds and the like: at least one.
    fn counts(&self) -> [(&'static str, u32); 16] {
        [
            ("template_max_generate_retry_num", self.template_max_generate_retry_num),
            ("workflow_max_plan_executed_num", self.workflow_max_plan_executed_num),
            ("workflow_recursion_limit", self.workflow_recursion_limit),
            ("workflow_max_gen_question_retry_num", self.workflow_max_gen_question_retry_num),
            ("outliner_max_generate_outline_retry_num", self.outliner_max_generate_outline_retry_num),
            ("planner_max_step_num", self.planner_max_step_num),
            ("planner_max_retry_num", self.planner_max_retry_num),
            ("info_collector_max_react_recursion_limit", self.info_collector_max_react_recursion_limit),
            ("info_collector_initial_search_query_count", self.info_collector_initial_search_query_count),
            ("info_collector_max_research_loops", self.info_collector_max_research_loops),
            ("info_collector_max_retry_num", self.info_collector_max_retry_num),
            ("sub_report_classify_doc_infos_single_time_num", self.sub_report_classify_doc_infos_single_time_num),
            ("sub_report_classify_doc_infos_res_top_k_num", self.sub_report_classify_doc_infos_res_top_k_num),
            ("report_max_generate_retry_num", self.report_max_generate_retry_num),
            (
                "source_tracer_citation_verify_max_concurrency_num",
                self.source_tracer_citation_verify_max_concurrency_num,
            ),
            ("source_tracer_citation_verify_batch_size", self.source_tracer_citation_verify_batch_size),
        ]
    }

    fn check_words(&self, wrong: &mut Vec<Notice>) {
        let local = &self.local_search_engine_config;
        let mut word = |key: &str, value: &str, allowed: &[&str]| {
            if !allowed.contains(&value) {
                let allowed: Vec<String> = allowed.iter().map(|word| format!("`{word}`")).collect();
                let message = format!("`{key}` is `{value}`; it takes {}", allowed.join(", "));
                wrong.push(Notice::fatal(StatusCode::ParameterNotAllowed, message));
            }
        };
        word("local_search_engine_config.search_engine_name", &local.search_engine_name, &["native"]);
        word("local_search_engine_config.search_mode", &local.search_mode, &["doc", "keyword", "mix"]);
        word("local_search_engine_config.knowledge_base_type", &local.knowledge_base_type, &["internal", "external"]);
        word("local_search_engine_config.source", &local.source, &["KooSearch", "LakeSearch"]);
        const SLOTS: [&str; 6] =
            ["", "general", "plan_understanding", "info_collecting", "writing_checking", "vlm_chart_generating"];
        word("outliner_specified_llm", &self.outliner_specified_llm, &SLOTS);
        word("planner_specified_llm", &self.planner_specified_llm, &SLOTS);
        const ENGINES: [&str; 9] =
            ["", "tavily", "google", "serper", "searxng", "wikipedia", "arxiv", "openalex", "crossref"];
        for name in self.web_search_engine_config.search_engine_name.split(',') {
            word("web_search_engine_config.search_engine_name", name.trim(), &ENGINES);
        }
        if !local.knowledge_base_configs.is_empty() {
            let message = "`local_search_engine_config.knowledge_base_configs` names vector stores, which are not \
                           supported; give folders with `--corpus`";
            wrong.push(Notice::fatal(StatusCode::LocalSearchSetup, message));
        }
        for (key, custom) in [
            ("custom_web_search_config", &self.custom_web_search_config),
            ("custom_local_search_config", &self.custom_local_search_config),
        ] {
            if !custom.file.is_empty() || !custom.func.is_empty() {
                let message = format!("`{key}.file` names code to load, which is not supported");
                wrong.push(Notice::fatal(StatusCode::SearchExtension, message));
            }
        }
        if self.info_collector_allow_programmer {
            let message = "`info_collector_allow_programmer` asks for code to be run, which is not supported";
            wrong.push(Notice::fatal(StatusCode::ParameterInvalid, message));
        }
    }

    fn check_addresses(&self, wrong: &mut Vec<Notice>) {
        let slots = self.llm_config.slots();
        let models = slots.iter().map(|(slot, config)| (format!("llm_config.{slot}.base_url"), &config.base_url));
        let engines = [
            ("web_search_engine_config.search_url".to_owned(), &self.web_search_engine_config.search_url),
            ("local_search_engine_config.search_url".to_owned(), &self.local_search_engine_config.search_url),
        ];
        for (key, url) in models.chain(engines) {
            let length = url.chars().count();
            if length >= MOST_URL {
                let message = format!("`{key}` has {length} characters; it takes at most {}", MOST_URL - 1);
                wrong.push(Notice::fatal(StatusCode::UrlTooLong, message));
            } else if !(url.is_empty() || url.starts_with("http://") || url.starts_with("https://")) {
                let message = format!("`{key}` is `{url}`; an address begins with `http://` or `https://`");
                wrong.push(Notice::fatal(StatusCode::ParameterInvalid, message));
            }
        }
    }
}

fn out_of_range(key: &str, value: impl Display, allowed: &str) -> Notice {
    Notice::fatal(StatusCode::ParameterRange, format!("`{key}` is {value}; it takes {allowed}"))
}
