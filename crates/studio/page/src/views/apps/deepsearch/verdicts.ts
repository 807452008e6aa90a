// Verdicts and bases in words, and the colours and lines that go with them.

import type { Basis, Verdict } from "./research.ts";

export const VERDICTS: Record<Verdict, string> = {
  supported: "supported",
  contradicted: "contradicted",
  not_found: "not found in the source",
  not_checked: "not checked",
};

export const BASES: Record<Basis, string> = {
  derived: "checked statements of the report say the same",
  own: "the writer's own: no checked statement says the same",
  contradicted: "the writer's own, and a checked statement says otherwise",
  not_checked: "it could not be checked",
};

/** A sign beside the colour, so that none is told by colour alone. */
export const SIGNS: Record<Verdict, string> = {
  supported: "✓",
  contradicted: "✗",
  not_found: "?",
  not_checked: "–",
};
