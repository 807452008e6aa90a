// The sections of a report while they are researched and written, from the events of the tasks that work on them.

import type { Json, JsonObject } from "../../../api/types.ts";
import { namespaceKey, type RunModel, type Status, type Task, taskOf } from "../../../run/model.ts";
import { isObject } from "../../../parts/json-values.ts";
import { mainNamespace } from "./place.ts";
import { entriesOf, objectOf, objectsOf, textOf, textsOf } from "../read.ts";
import { type Document, documentOf, type Section } from "./research.ts";

export interface Search {
  query: string;
  /** The documents that it found, by id; `undefined` while it is under way. */
  found: string[] | undefined;
}

/** A question of the plan of a section. */
export interface Step {
  id: string;
  title: string;
  description: string;
  status: Status;
  searches: Search[];
  /** What was found, in a few sentences. */
  result: string;
  /** How well that answers the step. */
  evaluation: string;
  /** The task that carries it out. */
  task: string | undefined;
}

export const WORK = ["plan", "search", "write", "cite"] as const;
export type Work = (typeof WORK)[number];

export interface SectionWork {
  section: Section;
  status: Status;
  /** What is worked on now, and what was done. */
  now: Work | undefined;
  did: ReadonlySet<Work>;
  steps: Step[];
  documents: Map<string, Document>;
  /** The text, as far as it is written. */
  text: string;
  isWritten: boolean;
  /** Whether no model wrote it, so that quotations stand in for its text. */
  isQuoted: boolean;
  error: string | undefined;
}

const TEAMS = ["editor_team", "dependency_editor_team"];
/** The tasks of a team that work on a section. */
const WORKERS = ["section", "reason", "write"];
const NODES: Record<string, Work> = {
  plan_reasoning: "plan",
  info_collector: "search",
  dependency_info_collector: "search",
  sub_reporter: "write",
  sub_source_tracer: "cite",
};

/** The sections of an outline with what is known of the work on them. `values` is the state of the main graph. */
export function sectionsOf(model: RunModel, sections: readonly Section[], values: JsonObject): SectionWork[] {
  const works = new Map(sections.map((section) => [section.id, empty(section)]));
  kept(works, values);
  for (const [work, tasks] of workers(model, works)) {
    for (const task of tasks) told(work, task);
  }
  return [...works.values()];
}

function empty(section: Section): SectionWork {
  const parts = { steps: [], documents: new Map(), text: "", isWritten: false, isQuoted: false };
  return { section, status: "waiting", now: undefined, did: new Set(), error: undefined, ...parts };
}

/** What the state says: it is there when the sections are done, also where no event is. */
function kept(works: ReadonlyMap<string, SectionWork>, values: JsonObject): void {
  for (const section of objectsOf(objectOf(values.current_outline).sections)) {
    const work = works.get(String(section.id));
    if (work !== undefined) for (const plan of objectsOf(section.plans)) addPlan(work, plan);
  }
  for (const one of objectsOf(values.unwritten)) {
    const work = works.get(textOf(one.section_id));
    if (work !== undefined) work.isQuoted = true;
  }
  for (const report of objectsOf(objectOf(values.report).sub_reports)) {
    const work = works.get(textOf(report.section_id));
    if (work === undefined) continue;
    addReport(work, report);
    work.status = "done";
    work.did = new Set(WORK);
  }
}

interface Place {
  work: SectionWork;
  /** The task of the team that works on the section. */
  worker: Task;
}

/** The tasks of each section, in the order in which they began. */
function workers(model: RunModel, works: ReadonlyMap<string, SectionWork>): Map<SectionWork, Placed[]> {
  const main = mainNamespace(model);
  const depth = main === "" ? 0 : main.split("|").length;
  const team = model.calls.findLast(({ namespace }) => {
    return namespace.length === depth + 1 && isTeam(namespace) && startsWith(namespace, main);
  });
  const found = new Map<SectionWork, Placed[]>();
  if (team === undefined) return found;
  const ns = namespaceKey(team.namespace);
  const places = new Map<string, Place>();
  for (const task of model.tasks) {
    if (task.namespace.length === depth + 1) {
      const work = works.get(String(task.input));
      if (work === undefined || !WORKERS.includes(task.node) || namespaceKey(task.namespace) !== ns) continue;
      places.set(`${task.node}:${task.id}`, { work, worker: task });
      work.status = task.status;
      work.error = task.error;
      // Research that is done is followed by writing, which may not have begun.
      if (task.node === "reason" && task.status === "done") work.status = "waiting";
      continue;
    }
    const place = task.namespace.length > depth + 1 ? places.get(task.namespace[depth + 1] ?? "") : undefined;
    if (place === undefined) continue;
    const inside = task.namespace.slice(depth + 2);
    found.set(place.work, [...(found.get(place.work) ?? []), { task, inside }]);
  }
  return found;
}

interface Placed {
  task: Task;
  /** Its namespace within that of the section. */
  inside: readonly string[];
}

function isTeam(namespace: readonly string[]): boolean {
  return TEAMS.includes(namespace.at(-1)?.split(":")[0] ?? "");
}

function startsWith(namespace: readonly string[], ns: string): boolean {
  return ns === "" || namespaceKey(namespace).startsWith(`${ns}|`);
}

function told(work: SectionWork, { task, inside }: Placed): void {
  const result = objectOf(task.result);
  if (inside.length === 0) {
    const kind = NODES[task.node];
    if (kind === undefined) return;
    if (task.status === "done") {
      work.did = new Set([...work.did, kind]);
      if (work.now === kind) work.now = undefined;
    } else {
      work.now = kind;
    }
    for (const [, plan] of entriesOf(result.plans)) addPlan(work, plan);
    if (kind === "write" && task.status !== "done") work.text = saidBy(task);
    if (result.sub_report !== undefined) addReport(work, objectOf(result.sub_report));
    if (isObject(result.unwritten)) work.isQuoted = true;
    addEvidence(work, result.evidence);
    return;
  }
  if (task.node === "collector") {
    const step = stepOf(work, String(task.input));
    step.status = task.status;
    step.task = task.id;
    for (const [id, done] of entriesOf(result.done)) addStep(stepOf(work, id), done);
    addEvidence(work, result.evidence);
    return;
  }
  collecting(work, task, result);
}

/** A task of the collector: what it searches for, and what it has found. */
function collecting(work: SectionWork, task: Task, result: JsonObject): void {
  const collector = taskOf(task.namespace);
  const step = work.steps.find((one) => one.task === collector);
  if (step === undefined) return;
  for (const query of objectsOf(result.search_queries)) search(step, textOf(query.query), undefined);
  for (const query of objectsOf(result.history_queries)) search(step, textOf(query.query), textsOf(query.doc_infos));
  for (const document of objectsOf(result.doc_infos)) addDocument(work, document);
  if (task.node === "collector_summary") step.result = textOf(result.info_summary);
}

function search(step: Step, query: string, found: string[] | undefined): void {
  const known = step.searches.find((one) => one.query === query);
  if (known === undefined) step.searches.push({ query, found });
  else known.found = found ?? known.found;
}

function addPlan(work: SectionWork, plan: JsonObject): void {
  for (const one of objectsOf(plan.steps)) addStep(stepOf(work, textOf(one.id)), one);
}

function stepOf(work: SectionWork, id: string): Step {
  let step = work.steps.find((one) => one.id === id);
  if (step === undefined) {
    step = {
      id,
      title: "",
      description: "",
      status: "waiting",
      searches: [],
      result: "",
      evaluation: "",
      task: undefined,
    };
    work.steps.push(step);
  }
  return step;
}

function addStep(step: Step, from: JsonObject): void {
  step.title = textOf(from.title) || step.title;
  step.description = textOf(from.description) || step.description;
  step.evaluation = textOf(from.evaluation) || step.evaluation;
  for (const query of objectsOf(from.retrieval_queries)) search(step, textOf(query.query), textsOf(query.doc_infos));
  if (typeof from.step_result === "string") {
    step.result = from.step_result;
    step.status = "done";
  }
}

function addReport(work: SectionWork, report: JsonObject): void {
  const content = objectOf(report.content);
  work.text = textOf(content.sub_report_content_text) || work.text;
  work.isWritten = work.text !== "";
  for (const document of objectsOf(content.classified_content)) addDocument(work, document);
}

function addEvidence(work: SectionWork, evidence: Json | undefined): void {
  for (const [, document] of entriesOf(evidence)) addDocument(work, document);
}

function addDocument(work: SectionWork, document: JsonObject): void {
  const one = documentOf(document);
  if (one.id !== "") work.documents.set(one.id, one);
}

/** What a task has said so far: it tells its words as it writes them. */
function saidBy(task: Task): string {
  const told = task.told.map(({ payload }) => textOf(objectOf(payload).content)).join("");
  return told === "" ? task.messages.map((message) => message.text).join("\n\n") : told;
}
