// What a research conversation keeps between its turns, read from its state. What is not as expected is left out.

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { numberOf, objectOf, objectsOf, textOf, textsOf } from "../read.ts";
import { type Work, workOf } from "./work.ts";

/** What the conversation waits for. */
export type Waiting =
  | { for: "none" }
  | { for: "queries" }
  | { for: "report" }
  | { for: "slot"; action: string; missing: string[] };

export interface Query {
  text: string;
  rationale: string;
  aspect: string;
}

/** How an engine answered a query. */
export interface Answered {
  engine: string;
  query: string;
  kind: string;
  /** How many it gave. */
  pieces: number;
  /** Why it gave no answer, in its words. */
  fault: string;
  notes: string[];
}

/** A work that was found, with what was read in it. */
export interface Found {
  work: Work;
  claim: string;
  limits: string;
}

export interface Theme {
  name: string;
  summary: string;
  /** The ids of the works that say so. */
  records: string[];
}

export interface Review {
  found: Found[];
  themes: Theme[];
  answered: Answered[];
  notes: string[];
}

export interface Gap {
  summary: string;
  gap: string;
  why: string;
  /** The ids of the works that show it. */
  evidence: string[];
  notes: string[];
}

export interface Section {
  heading: string;
  text: string;
}

export interface Proposal {
  title: string;
  sections: Section[];
  references: { number: number; work: Work }[];
  notes: string[];
  sources: string[];
}

/** Something that was made; an approval is of one version. */
export interface Made<T> {
  version: number;
  value: T;
}

/** Something that was done, and by which rule. */
export interface Step {
  action: string | undefined;
  rule: string;
  evidence: string[];
}

export interface Session {
  /** The id of the conversation. */
  conversation: string;
  topic: string | undefined;
  status: string;
  waiting: Waiting;
  /** Whether the person was asked what the last reply meant. */
  isConfirming: boolean;
  /** A topic that was named after the end. */
  offered: string | undefined;
  queries: Made<Query[]> | undefined;
  review: Made<Review> | undefined;
  gap: Made<Gap> | undefined;
  proposal: Made<Proposal> | undefined;
  /** The versions that a person approved. */
  approved: { queries: number | undefined; proposal: number | undefined };
  journey: Step[];
  history: { role: string; text: string }[];
  /** The topics of journeys that are over. */
  earlier: string[];
}

/** `undefined` before the first turn. */
export function sessionOf(value: Json | undefined): Session | undefined {
  if (!isObject(value) || !isObject(value.artifacts)) return undefined;
  const { artifacts, approvals } = value;
  return {
    conversation: textOf(value.conversation_id),
    topic: textOf(value.topic) || undefined,
    status: textOf(value.status),
    waiting: waitingOf(value.waiting_for),
    isConfirming: value.asked !== undefined && value.asked !== null,
    offered: textOf(value.offered_topic) || undefined,
    queries: made(artifacts.queries, (queries) =>
      objectsOf(queries).map((one) => ({
        text: textOf(one.text),
        rationale: textOf(one.rationale),
        aspect: textOf(one.aspect),
      })),
    ),
    review: made(artifacts.review, (review) => reviewOf(objectOf(review))),
    gap: made(artifacts.gap, (gap) => gapOf(objectOf(gap))),
    proposal: made(artifacts.proposal, (proposal) => proposalOf(objectOf(proposal))),
    approved: { queries: numberOf(objectOf(approvals).queries), proposal: numberOf(objectOf(approvals).proposal) },
    journey: objectsOf(value.journey).map(({ action, rule, evidence }) => ({
      action: textOf(action) || undefined,
      rule: textOf(rule),
      evidence: textsOf(evidence),
    })),
    history: objectsOf(value.history).map((line) => ({ role: textOf(line.role), text: textOf(line.text) })),
    earlier: objectsOf(value.archive).map((one) => textOf(one.topic)),
  };
}

function made<T>(value: Json | undefined, read: (value: Json) => T): Made<T> | undefined {
  if (!isObject(value) || typeof value.version !== "number" || value.value === undefined) return undefined;
  return { version: value.version, value: read(value.value) };
}

function waitingOf(value: Json | undefined): Waiting {
  const waiting = objectOf(value);
  switch (waiting.for) {
    case "queries":
    case "report":
      return { for: waiting.for };
    case "slot":
      return { for: "slot", action: textOf(waiting.action), missing: textsOf(waiting.missing) };
  }
  return { for: "none" };
}

function reviewOf(review: JsonObject): Review {
  const findings = objectsOf(review.findings);
  return {
    found: objectsOf(review.records).map((record) => {
      const read = findings.find((finding) => finding.record === record.id);
      return { work: workOf(record), claim: textOf(read?.claim), limits: textOf(read?.limits) };
    }),
    themes: objectsOf(review.themes).map((one) => ({
      name: textOf(one.name),
      summary: textOf(one.summary),
      records: textsOf(one.records),
    })),
    answered: objectsOf(review.sources).map((report) => {
      const outcome = objectOf(report.outcome);
      return {
        engine: textOf(report.engine),
        query: textOf(report.query),
        kind: textOf(outcome.kind),
        pieces: numberOf(outcome.pieces) ?? 0,
        fault: faultOf(objectOf(outcome.fault)),
        notes: textsOf(report.notes),
      };
    }),
    notes: textsOf(review.notes),
  };
}

/** `down (the host is not found)`: the kind of a fault, and what it says. */
function faultOf({ kind, reason, title }: JsonObject): string {
  const said = textOf(reason) || textOf(title);
  const name = textOf(kind).replaceAll("_", " ");
  return said === "" ? name : `${name} (${said})`;
}

function gapOf(gap: JsonObject): Gap {
  return {
    summary: textOf(gap.summary),
    gap: textOf(gap.gap),
    why: textOf(gap.why),
    evidence: textsOf(gap.evidence),
    notes: textsOf(gap.notes),
  };
}

function proposalOf(proposal: JsonObject): Proposal {
  return {
    title: textOf(proposal.title),
    sections: objectsOf(proposal.sections).map((one) => ({ heading: textOf(one.heading), text: textOf(one.text) })),
    references: objectsOf(proposal.references).map((one) => ({
      number: numberOf(one.number) ?? 0,
      work: workOf(objectOf(one.record)),
    })),
    notes: textsOf(proposal.notes),
    sources: textsOf(proposal.sources),
  };
}
