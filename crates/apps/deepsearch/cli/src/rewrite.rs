//! Writing again what no model wrote while a run was done.

use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_deepsearch::GraphKind;
use graphloom_deepsearch::graph::{OUTLINE, REPORTER, policy};
use graphloom_deepsearch::rewrite::update_to_rewrite;

use crate::args::WorkArgs;
use crate::open::{open, restore_options, runs};
use crate::output;
use crate::params::params;
use crate::recheck::{may_go_back, newest_before};
use crate::research::conclude;

/// Goes back to before the team of a finished run, which then writes the sections that were only quoted or are missing because
/// their writer could not be asked. The texts of all other sections stay; what follows the team is made anew.
pub(crate) async fn rewrite(mut work: WorkArgs, session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let (seen, before) = runs(session).find(id).await?;
    may_go_back(id, &before, "write", "--rewrite")?;
    restore_options(&mut work, &before.state.request, session)?;
    let given = before.state.request.config();
    let Some(config) = params(&work.run, session, Some(given))? else {
        return Ok(ExitStatus::Done);
    };
    if config.execution_method != given.execution_method {
        return Err(Failure::usage("`execution_method` is another graph; begin another run for it"));
    }
    let sections: Vec<&str> = before.state.unwritten.iter().map(|section| section.section_id.as_str()).collect();
    if sections.is_empty() {
        let opened = open(&work, session, &config, before.state.spent, true).await?;
        let thread = opened.runs.thread(id).policy(policy(&config));
        session.progress.note("every section was written; the files of the run are written again");
        return output::deliver(&work.output, session, &opened, &thread, &before.state).await;
    }
    let team = GraphKind::from(config.execution_method).team();
    let (end, after) = newest_before(&seen, &REPORTER, "assembly").await?;
    let (checkpoint, begun) = newest_before(&seen, &team, "team").await?;
    if checkpoint > end {
        let message = format!("the newest team of `{id}` has no result; `fork` the run at checkpoint {checkpoint}");
        return Err(Failure::new(ExitStatus::Failed, message));
    }
    // What a budget left out since then is made good now.
    let mut spent = before.state.spent;
    spent.degraded = begun.spent.degraded;
    let opened = open(&work, session, &config, spent, true).await?;
    let thread = opened.runs.thread(id).policy(policy(&config));
    thread.at(checkpoint).fork().await?;
    // The outline leads on by what it decides, never by an edge, so that the team stays what comes next.
    thread.update_state(OUTLINE, update_to_rewrite(&begun, &after)).await?;
    let named = sections.join(", ");
    session.progress.note(match sections.len() {
        1 => format!("section {named} was not written by a model and is written again"),
        _ => format!("sections {named} were not written by a model and are written again"),
    });
    let notes = thread.state().await?.state.notes.len();
    conclude(&work, session, &opened, &thread, &config, Some(thread.continue_()), notes).await
}
