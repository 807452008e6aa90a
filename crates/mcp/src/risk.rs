//! How much a tool can change: what its server says about it, and what the user says.

use graphloom_agents::Risk;
use rmcp::model::ToolAnnotations;

use crate::ToolRule;

/// How a tool is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Treatment {
    /// How much it can change.
    pub(crate) risk: Risk,
    /// Whether a person is asked before each call, whatever the risk.
    pub(crate) ask: bool,
    /// Whether anything is known of its risk.
    pub(crate) known: bool,
}

/// Decides how a tool is treated. The server's [annotations] are hints: they set the risk where the user says nothing.
///
/// A tool that only reads is [`Risk::Read`]. One that only adds is [`Risk::Write`], unless the server says that it
/// reaches an open world, from which nothing can be taken back. Everything else is [`Risk::Destructive`], as the
/// protocol's defaults have it. Of a tool of which neither the server nor the user says anything, a person is asked.
///
/// [annotations]: https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations
pub(crate) fn treatment(annotations: Option<&ToolAnnotations>, rule: ToolRule) -> Treatment {
    let hinted = annotations.and_then(hinted);
    let risk = rule.risk.or(hinted);
    Treatment {
        risk: risk.unwrap_or(Risk::Destructive),
        ask: rule.ask.unwrap_or(risk.is_none()),
        known: risk.is_some(),
    }
}

fn hinted(hints: &ToolAnnotations) -> Option<Risk> {
    match (hints.read_only_hint, hints.destructive_hint) {
        (None, None) => None,
        (Some(true), _) => Some(Risk::Read),
        (_, Some(false)) if hints.open_world_hint != Some(true) => Some(Risk::Write),
        _ => Some(Risk::Destructive),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_set_the_risk_and_the_user_stands_above_them() {
        let hints = |read: Option<bool>, destructive: Option<bool>, open: Option<bool>| {
            Some(ToolAnnotations::from_raw(None, read, destructive, None, open))
        };
        let none = ToolRule::default();
        for (annotations, rule, risk, ask) in [
            (None, none, Risk::Destructive, true),
            (hints(None, None, Some(false)), none, Risk::Destructive, true),
            (hints(Some(true), None, None), none, Risk::Read, false),
            (hints(Some(true), Some(true), Some(true)), none, Risk::Read, false),
            (hints(Some(false), None, None), none, Risk::Destructive, false),
            (hints(None, Some(false), None), none, Risk::Write, false),
            (hints(Some(false), Some(false), Some(false)), none, Risk::Write, false),
            (hints(Some(false), Some(false), Some(true)), none, Risk::Destructive, false),
            (hints(Some(true), None, None), none.risk(Risk::Destructive), Risk::Destructive, false),
            (hints(Some(true), None, None), none.ask(true), Risk::Read, true),
            (None, none.risk(Risk::Read), Risk::Read, false),
            (None, none.ask(false), Risk::Destructive, false),
        ] {
            let found = treatment(annotations.as_ref(), rule);
            assert_eq!((found.risk, found.ask), (risk, ask), "{annotations:?} {rule:?}");
        }
    }
}
