// What Obsius's own graph keeps, as far as the view shows it. The field names are those of its state.

import type { Json, JsonObject } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { numberOf, objectOf, objectsOf, spanOf, textOf, textsOf } from "../read.ts";

export interface Visit {
  phase: string;
  iteration: number;
  time: number;
  /** The decision that led to it. */
  by: string;
}

export interface Criterion {
  words: string;
  /** `undefined` while nothing has looked. */
  holds: boolean | undefined;
  evidence: string;
}

export interface Subtask {
  id: string;
  goal: string;
  kind: string;
  isDone: boolean;
  criteria: Criterion[];
}

export interface Memory {
  id: string;
  kind: string;
  content: string;
  /** Characters that were cut off. */
  omitted: number;
  phase: string;
  iteration: number;
  importance: number;
  /** Why it signals that the work is complete. */
  signal: string;
}

export interface Action {
  id: string;
  tool: string;
  /** The note or the words that it is about. */
  about: string;
  arguments: Json;
  risk: string;
  iteration: number;
  isDone: boolean;
  message: string;
}

export interface Change {
  path: string;
  /** The text before; `null` for none, `undefined` where it is not known. */
  before: string | null | undefined;
  after: string | null;
  movedFrom: string;
}

export interface Found {
  path: string;
  title: string;
  snippet: string;
}

export interface Work {
  request: string;
  visits: Visit[];
  iteration: number;
  subtasks: Subtask[];
  memory: Memory[];
  actions: Action[];
  changes: Change[];
  /** The notes that were written into the vault; `undefined` where nothing was. */
  applied: string[] | undefined;
  approved: string[];
  declined: string[];
  reason: string;
  found: Found[];
  confidence: number | undefined;
  answer: string;
  outcome: string;
  isComplete: boolean | undefined;
  failure: string;
  notes: string[];
}

export function workOf(values: JsonObject): Work {
  const session = objectOf(values.session);
  const outcome = objectOf(values.outcome);
  const review = objectOf(objectOf(values.review).verdict);
  const stop = objectOf(outcome.stop ?? values.stop);
  return {
    request: textOf(session.original_request) || textOf(values.request),
    visits: objectsOf(objectOf(values.phases).visits).map((visit) => ({
      phase: textOf(visit.phase),
      iteration: numberOf(visit.iteration) ?? 0,
      time: numberOf(visit.time) ?? 0,
      by: textOf(visit.by),
    })),
    iteration: numberOf(objectOf(values.iteration).number) ?? 0,
    subtasks: subtasksOf(values),
    memory: objectsOf(objectOf(values.working_memory).entries).map((entry) => ({
      id: textOf(entry.id),
      kind: textOf(entry.kind),
      content: textOf(entry.content),
      omitted: numberOf(entry.omitted) ?? 0,
      phase: textOf(entry.phase),
      iteration: numberOf(entry.iteration) ?? 0,
      importance: numberOf(entry.importance) ?? 0,
      signal: textOf(objectOf(entry.signal).reason),
    })),
    actions: objectsOf(values.executed_actions).map((action) => ({
      id: textOf(action.id),
      tool: textOf(action.tool),
      about: aboutOf(objectOf(action.arguments)),
      arguments: action.arguments ?? null,
      risk: textOf(action.risk),
      iteration: numberOf(action.iteration) ?? 0,
      isDone: objectOf(action.result).success === true,
      message: textOf(objectOf(action.result).message),
    })),
    changes: changesOf(values.changes),
    applied: isObject(values.applied) ? textsOf(values.applied.paths) : undefined,
    approved: textsOf(review.approved),
    declined: textsOf(review.declined),
    reason: textOf(review.reason),
    found: objectsOf(objectOf(values.findings).notes).map((note) => ({
      path: textOf(note.path),
      title: textOf(note.title),
      snippet: textOf(note.snippet),
    })),
    confidence: numberOf(values.confidence),
    answer: textOf(outcome.answer) || textOf(values.answer),
    outcome: textOf(values.outcome) || textOf(stop.reason).replaceAll("_", " "),
    isComplete: typeof outcome.is_complete === "boolean" ? outcome.is_complete : undefined,
    failure: textOf(objectOf(values.failure).message),
    notes: textsOf(values.notes),
  };
}

/** What an action is about, by the first argument that says it. */
function aboutOf(args: JsonObject): string {
  return ["path", "title", "from", "query", "tag", "note"].map((name) => textOf(args[name])).find((text) => text) ?? "";
}

function subtasksOf(values: JsonObject): Subtask[] {
  const objectives = objectOf(values.objectives);
  const done = textsOf(objectives.completed);
  const findings = objectsOf(objectives.evidence);
  return objectsOf(objectOf(values.task_plan).decomposed_tasks).map((task) => {
    const id = textOf(task.id);
    const criteria = objectsOf(task.criteria).map((criterion): Criterion => {
      const words = criterionWords(criterion);
      const same = (one: JsonObject) => one.subtask === id && criterionWords(objectOf(one.criterion)) === words;
      const finding = findings.find(same);
      const holds = typeof finding?.holds === "boolean" ? finding.holds : undefined;
      return { words, holds, evidence: textOf(finding?.evidence) };
    });
    return { id, goal: textOf(task.goal), kind: textOf(task.kind), isDone: done.includes(id), criteria };
  });
}

/** A criterion as a statement. */
export function criterionWords(criterion: JsonObject): string {
  const note = `“${textOf(criterion.note)}”`;
  switch (criterion.check) {
    case "searched":
      return `the search by ${textOf(criterion.strategy)} was run`;
    case "found_read":
      return `the best ${numberOf(criterion.count) ?? 0} found notes were read`;
    case "note_exists":
      return `the note ${note} exists`;
    case "note_changed":
      return `the note ${note} is changed`;
    case "note_contains":
      return `the note ${note} contains “${textOf(criterion.text)}”`;
    case "links_resolve":
      return `every link that was written into ${note} leads somewhere`;
    case "frontmatter_parses":
      return `the frontmatter of ${note} can be read`;
    case "found_linked_from":
      return `${note} links to every found note`;
    case "tag_present":
      return `${note} has the tag “${textOf(criterion.tag)}”`;
    case "found_tagged":
      return `every found note has the tag “${textOf(criterion.tag)}”`;
    case "answered":
      return "the person got an answer";
    case "judged":
      return textOf(criterion.question);
  }
  return JSON.stringify(criterion);
}

function changesOf(value: Json | undefined): Change[] {
  return Object.entries(objectOf(objectOf(value).files)).flatMap(([path, one]): Change[] => {
    const file = objectOf(one);
    const after = typeof file.after === "string" ? file.after : null;
    return [{ path, after, before: beforeOf(file, after), movedFrom: textOf(file.moved_from) }];
  });
}

/** The text before: the state keeps the hash of it, and of the part that differs how it was. */
function beforeOf(file: JsonObject, after: string | null): string | null | undefined {
  if (file.before === null || file.before === undefined) return null;
  const was = objectOf(file.was);
  const now = objectOf(was.now);
  const span = spanOf([now.start ?? null, now.end ?? null]);
  if (after === null || span === undefined || typeof was.before !== "string") return undefined;
  const bytes = new TextEncoder().encode(after);
  const text = (part: Uint8Array) => new TextDecoder().decode(part);
  return text(bytes.slice(0, span[0])) + was.before + text(bytes.slice(span[1]));
}

/** The visits of an iteration; 0 is what comes before the first. */
export function iterationsOf(visits: readonly Visit[]): { number: number; visits: Visit[] }[] {
  const found: { number: number; visits: Visit[] }[] = [];
  for (const visit of visits) {
    const last = found.at(-1);
    if (last?.number === visit.iteration) last.visits.push(visit);
    else found.push({ number: visit.iteration, visits: [visit] });
  }
  return found;
}
