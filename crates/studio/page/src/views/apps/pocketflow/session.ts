// What a research conversation keeps between its turns, read from its state. What is not as expected is left out.

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
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

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const texts = (value: Json | undefined): string[] => list(value).filter((one) => typeof one === "string");
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const objects = (value: Json | undefined): JsonObject[] => list(value).filter(isObject);
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const number = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined);

/** `undefined` before the first turn. */
export function sessionOf(value: Json | undefined): Session | undefined {
  if (!isObject(value) || !isObject(value.artifacts)) return undefined;
  const { artifacts, approvals } = value;
  return {
    conversation: text(value.conversation_id),
    topic: text(value.topic) || undefined,
    status: text(value.status),
    waiting: waitingOf(value.waiting_for),
    isConfirming: value.asked !== undefined && value.asked !== null,
    offered: text(value.offered_topic) || undefined,
    queries: made(artifacts.queries, (queries) =>
      objects(queries).map((one) => ({
        text: text(one.text),
        rationale: text(one.rationale),
        aspect: text(one.aspect),
      })),
    ),
    review: made(artifacts.review, (review) => reviewOf(object(review))),
    gap: made(artifacts.gap, (gap) => gapOf(object(gap))),
    proposal: made(artifacts.proposal, (proposal) => proposalOf(object(proposal))),
    approved: { queries: number(object(approvals).queries), proposal: number(object(approvals).proposal) },
    journey: objects(value.journey).map(({ action, rule, evidence }) => ({
      action: text(action) || undefined,
      rule: text(rule),
      evidence: texts(evidence),
    })),
    history: objects(value.history).map((line) => ({ role: text(line.role), text: text(line.text) })),
    earlier: objects(value.archive).map((one) => text(one.topic)),
  };
}

function made<T>(value: Json | undefined, read: (value: Json) => T): Made<T> | undefined {
  if (!isObject(value) || typeof value.version !== "number" || value.value === undefined) return undefined;
  return { version: value.version, value: read(value.value) };
}

function waitingOf(value: Json | undefined): Waiting {
  const waiting = object(value);
  switch (waiting.for) {
    case "queries":
    case "report":
      return { for: waiting.for };
    case "slot":
      return { for: "slot", action: text(waiting.action), missing: texts(waiting.missing) };
  }
  return { for: "none" };
}

function reviewOf(review: JsonObject): Review {
  const findings = objects(review.findings);
  return {
    found: objects(review.records).map((record) => {
      const read = findings.find((finding) => finding.record === record.id);
      return { work: workOf(record), claim: text(read?.claim), limits: text(read?.limits) };
    }),
    themes: objects(review.themes).map((one) => ({
      name: text(one.name),
      summary: text(one.summary),
      records: texts(one.records),
    })),
    answered: objects(review.sources).map((report) => {
      const outcome = object(report.outcome);
      return {
        engine: text(report.engine),
        query: text(report.query),
        kind: text(outcome.kind),
        pieces: number(outcome.pieces) ?? 0,
        fault: faultOf(object(outcome.fault)),
        notes: texts(report.notes),
      };
    }),
    notes: texts(review.notes),
  };
}

/** `down (the host is not found)`: the kind of a fault, and what it says. */
function faultOf({ kind, reason, title }: JsonObject): string {
  const said = text(reason) || text(title);
  const name = text(kind).replaceAll("_", " ");
  return said === "" ? name : `${name} (${said})`;
}

function gapOf(gap: JsonObject): Gap {
  return {
    summary: text(gap.summary),
    gap: text(gap.gap),
    why: text(gap.why),
    evidence: texts(gap.evidence),
    notes: texts(gap.notes),
  };
}

function proposalOf(proposal: JsonObject): Proposal {
  return {
    title: text(proposal.title),
    sections: objects(proposal.sections).map((one) => ({ heading: text(one.heading), text: text(one.text) })),
    references: objects(proposal.references).map((one) => ({
      number: number(one.number) ?? 0,
      work: workOf(object(one.record)),
    })),
    notes: texts(proposal.notes),
    sources: texts(proposal.sources),
  };
}
