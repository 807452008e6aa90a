//! Checking again what nobody could check while a run was done.

use std::sync::Arc;

use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_core_graph::checkpoint::{HistoryFilter, ThreadStatus};
use graphloom_core_graph::{Node, Thread, ThreadState};
use graphloom_deepsearch::SearchContext;
use graphloom_deepsearch::graph::{SOURCE_TRACER, policy};
use graphloom_deepsearch::state::{StatementBasis, Verdict};

use crate::args::WorkArgs;
use crate::open::{open, restore_options, runs};
use crate::output;
use crate::params::params;
use crate::research::conclude;

/// Goes back to before the check of a finished run and makes it again. Judgements that there are stay as they are: they are
/// durable steps, which are taken over. What rests on verdicts, marks, provenance and files, follows.
pub(crate) async fn recheck(mut work: WorkArgs, session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let (seen, before) = runs(session).find(id).await?;
    may_go_back(id, &before, "check", "--recheck")?;
    restore_options(&mut work, &before.state.request, session)?;
    let Some(config) = params(&work.run, session, Some(before.state.request.config()))? else {
        return Ok(ExitStatus::Done);
    };
    let open_ones = unchecked(&before.state);
    let back = if open_ones == 0 { None } else { Some(newest_before(&seen, &SOURCE_TRACER, "check").await?) };
    // What a check without budget left out is made good now.
    let degraded = back.as_ref().map_or(before.state.spent.degraded, |(_, state)| state.spent.degraded);
    let mut spent = before.state.spent;
    spent.degraded = degraded;
    let opened = open(&work, session, &config, spent, true).await?;
    let thread = opened.runs.thread(id).policy(policy(&config));
    let Some((checkpoint, state)) = back else {
        session.progress.note("everything was checked; the files of the run are written again");
        return output::deliver(&work.output, session, &opened, &thread, &before.state).await;
    };
    // With the answers of models that the check has.
    thread.at(checkpoint).reuse_once().fork().await?;
    session.progress.note(match before.state.final_result.statement_messages {
        Some(_) => format!("{open_ones} statements were not checked and are looked at again"),
        None => "the report was not checked and is checked now".to_owned(),
    });
    conclude(&work, session, &opened, &thread, &config, Some(thread.continue_()), state.notes.len()).await
}

/// Refuses a run that is not done, and one whose report a person had changed: going back would lose the changes.
pub(crate) fn may_go_back(id: &str, run: &ThreadState<SearchContext>, verb: &str, option: &str) -> Result<(), Failure> {
    if run.status != ThreadStatus::Done || run.state.fatal().is_some() {
        let message =
            format!("`{id}` is not done, so there is nothing to {verb} again; go on with it without `{option}`");
        return Err(Failure::usage(message));
    }
    if !run.state.rewrite_history.is_empty() {
        let message = format!(
            "the report of `{id}` was changed after it was checked, and to {verb} it again would lose the changes; begin \
             another run, or `fork` it at a checkpoint before the changes"
        );
        return Err(Failure::usage(message));
    }
    Ok(())
}

/// How many citations and statements without one were not checked; at least one where the check itself failed.
fn unchecked(state: &SearchContext) -> usize {
    let result = &state.final_result;
    let citations = result.citation_messages.data.iter().filter(|one| one.verdict == Verdict::NotChecked).count();
    let statements = result.statement_messages.iter().flatten();
    let statements = statements.filter(|one| one.basis == StatementBasis::NotChecked).count();
    let checks = state.config.source_tracer_research_trace_source_switch;
    let failed = checks && result.statement_messages.is_none() && !result.response_content.is_empty();
    citations + statements + usize::from(failed)
}

/// The number of the newest checkpoint before a node, and the state there.
pub(crate) async fn newest_before(
    run: &Thread<SearchContext>,
    node: &Node,
    what: &str,
) -> Result<(u64, Arc<SearchContext>), Failure> {
    for row in run.history(&HistoryFilter::default()).await? {
        let state = run.at(row.number).state().await?;
        if state.next == [node.as_str()] {
            return Ok((row.number, state.state));
        }
    }
    let message = format!("the run keeps no checkpoint from before its {what}; begin another run");
    Err(Failure::new(ExitStatus::Failed, message))
}
