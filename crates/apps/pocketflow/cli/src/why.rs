//! What a decision rested on.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use graphloom_cli::{ExitStatus, Failure, Session, time_text};
use graphloom_core_graph::checkpoint::HistoryFilter;
use serde_json::{Value, json};

use crate::inspect::print_result;
use crate::open::{no_checkpoint, open_existing};

/// Shows the decisions of a turn up to a checkpoint, from the message that began it on.
pub(crate) async fn why(session: &Session, id: &str, checkpoint: Option<u64>) -> Result<ExitStatus, Failure> {
    let thread = open_existing(session, id).await?.threads().thread(id);
    let rows = thread.history(&HistoryFilter::default()).await?;
    let by_number: BTreeMap<u64, _> = rows.iter().map(|row| (row.number, row)).collect();
    // The newest comes first; what a fork left behind is no parent of it.
    let mut at = checkpoint.or_else(|| rows.first().map(|row| row.number));
    if let Some(number) = checkpoint.filter(|number| !by_number.contains_key(number)) {
        thread.at(number).state().await.map_err(|error| no_checkpoint(error.into()))?;
    }
    let mut turn = Vec::new();
    while let Some(row) = at.and_then(|number| by_number.get(&number)) {
        let state = thread.at(row.number).state().await?;
        let begins = state.state.turn.finish.is_none() && state.next.iter().any(|next| next == "router");
        turn.push((*row, state.state));
        at = row.parent.filter(|_| !begins);
    }
    turn.reverse();

    let begun = turn.first().map(|(_, state)| &state.turn);
    let message = begun.map(|turn| turn.query.clone()).unwrap_or_default();
    let about = begun.and_then(|turn| turn.about.as_ref()).map(|about| about.id.clone());
    let (mut out, mut decisions) = (format!("message: {message}\n"), Vec::new());
    let _ = writeln!(out, "about: {}", about.as_deref().unwrap_or("nothing that was delivered before"));
    for pair in turn.windows(2) {
        let [(_, before), (row, after)] = pair else { continue };
        let (Some(decision), Some(step)) = (&after.session.decision, after.session.journey.last()) else { continue };
        if before.session.journey.last() == Some(step) {
            continue;
        }
        let action = step.action.map_or("end", |action| action.name());
        let facts = serde_json::to_value(&decision.facts)?;
        let _ = writeln!(out, "{}  {}  {} → {action}", row.number, time_text(row.time), decision.rule);
        let _ = writeln!(out, "    because: {}", decision.why);
        let _ = writeln!(out, "    matched against: {facts}");
        decision.evidence.iter().try_for_each(|evidence| writeln!(out, "    read by: {evidence}"))?;
        decision.missing.iter().try_for_each(|missing| writeln!(out, "    missing: {missing}"))?;
        decisions.push(json!({ "checkpoint": row.number, "time": row.time, "action": action, "decision": decision }));
    }
    if decisions.is_empty() {
        out.push_str("nothing is decided yet\n");
    }
    let value: Value = json!({ "message": message, "about": about, "decisions": decisions });
    print_result(session, &out, &value)
}
