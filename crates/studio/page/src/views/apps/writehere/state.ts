// The state of WriteHERE's own graph, as far as this view reads it (crates/apps/writehere/src/state.rs). What is not
// there, or not of its kind, is left out: the view shows what it can.

import type { JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { causeOf } from "./cause.ts";
import { numberOf, objectsOf, textOf, textsOf } from "../read.ts";
import { type Evidence, evidenceIn, type Reference, referenceIn } from "./sources.ts";
import { type Node, nodeIn } from "./node.ts";

/** The fields of the state that the view reads. Calls have all that was asked, which is most of a state. */
export const FIELDS = ["request", "tree.nodes", "evidence", "notes", "finished"];

export interface Writing {
  goal: string;
  /** How many words were asked for. */
  wanted: number | undefined;
  isReport: boolean;
  /** The tasks by their keys. */
  nodes: ReadonlyMap<string, Node>;
  evidence: ReadonlyMap<string, Evidence>;
  notes: string[];
  finished: Finished | undefined;
}

/** A change of the status of a task. */
export interface Change {
  step: number;
  node: string;
  from: string;
  to: string;
  cause: string;
}

/** A call of an agent. */
export interface Call {
  node: string;
  action: string;
  agent: string;
  model: string;
  tries: Try[];
}

export interface Try {
  input: number;
  output: number;
  reply: string;
  finish: string;
  problem: string | undefined;
}

export interface Finished {
  /** `done`, `partial`, `failed` or `stuck`. */
  status: string;
  explanation: string;
  text: string;
  words: number;
  references: Reference[];
}

/** The writing that a state holds; nothing for the state of another graph. */
export function writingIn(values: JsonObject | undefined): Writing | undefined {
  if (values === undefined || !isObject(values.tree) || !isObject(values.tree.nodes)) return undefined;
  const request = isObject(values.request) ? values.request : {};
  const nodes = new Map(objectsOf(Object.values(values.tree.nodes)).map((node) => [textOf(node.key), nodeIn(node)]));
  const evidence = isObject(values.evidence) ? objectsOf(Object.values(values.evidence)).map(evidenceIn) : [];
  return {
    goal: textOf(request.goal),
    wanted: numberOf(request.words),
    isReport: request.mode !== "story",
    nodes,
    evidence: new Map(evidence.map((one) => [one.id, one])),
    notes: textsOf(values.notes),
    finished: isObject(values.finished) ? finishedIn(values.finished) : undefined,
  };
}

/** The changes of the tree, of a state. */
export function changesIn(values: JsonObject | undefined): Change[] {
  const tree = values?.tree;
  return objectsOf(isObject(tree) ? tree.log : undefined).map((change) => ({
    step: numberOf(change.step) ?? 0,
    node: textOf(change.node),
    from: textOf(change.from),
    to: textOf(change.to),
    cause: causeOf(change.cause),
  }));
}

/** The calls of agents, of a state or of what a task of the graph wrote. */
export function callsIn(values: JsonObject | undefined): Call[] {
  return objectsOf(values?.calls).map(callIn);
}

function callIn(call: JsonObject): Call {
  const exchange = isObject(call.exchange) ? call.exchange : {};
  return {
    node: textOf(call.node),
    action: textOf(call.action),
    agent: textOf(exchange.agent),
    model: textOf(exchange.model),
    tries: objectsOf(exchange.attempts).map((attempt) => {
      const usage = isObject(attempt.usage) ? attempt.usage : {};
      return {
        input: numberOf(usage.input) ?? 0,
        output: numberOf(usage.output) ?? 0,
        reply: textOf(attempt.reply),
        finish: textOf(attempt.finish),
        problem: textOf(attempt.problem) || undefined,
      };
    }),
  };
}

function finishedIn(finished: JsonObject): Finished {
  return {
    status: textOf(finished.status),
    explanation: textOf(finished.explanation),
    text: textOf(finished.text),
    words: numberOf(finished.words) ?? 0,
    references: objectsOf(finished.references).map(referenceIn),
  };
}
