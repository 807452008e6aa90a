// The format of a saved thread, and what makes a line one of it.
//
// A file is JSON Lines in UTF-8 (`application/x-ndjson`): each line is an object with a `kind`.
//
// | kind | fields |
// | --- | --- |
// | `export` | `format`: `graphloom-thread`; `version`: 1; `made`: a time; `server`: `url` and `version`; `thread` |
// | `thread` | `thread`: the record, as `GET /threads/{id}` answers it |
// | `run` | `run`: as the list of the thread's runs has it, newest first |
// | `assistant` | `assistant`: one that ran on the thread; `schemas`: its own, or null |
// | `graph` | `graph`: its name; `closed`, `inside`: nodes and edges, without and with those of graphs inside |
// | `drawing` | `graph`; `open`: the ids of the subgraphs that are open, sorted; `drawing` |
// | `event` | `event`: one of the event stream; `seq` rises from line to line |
// | `state` | `state`: a ThreadState with its values, newest first in its `checkpoint_ns` |
// | `artifacts` | `artifacts`: the documents that the state lists, without their bytes |
// | `refused` | `what`: a `Part`; `of`: its name; `status`, `reason`: why the server did not give it |
// | `end` | `lines`: how many came before; `counts`: how many of each kind |
//
// The first line is `export`, the last one `end`: a file without it was cut off. There is one `thread` and one
// `artifacts`. A graph is drawn closed, and opened in every way; one with many subgraphs, with each alone and with all.
//
// A later version may add kinds. A line whose meaning is another than in version 1 has a `version` of its own. A file
// of which nothing can be said with the knowledge of version 1 has a higher `version` in its first line.

import type { ThreadEvent } from "../api/events.ts";
import type { Assistant, Json, JsonObject, Run, Thread, ThreadState } from "../api/types.ts";
import { isObject } from "../parts/json-values.ts";
import { list, number, object, text, Unexpected } from "../run/fold/read.ts";
import type { Drawing } from "../views/thread/graph/drawing.ts";

export const FORMAT = "graphloom-thread";
export const VERSION = 1;
export const MEDIA_TYPE = "application/x-ndjson";

export interface Header {
  kind: "export";
  format: string;
  version: number;
  /** When it was made. */
  made: string;
  server: { url: string; version: string | null };
  thread: string;
}

/** What a server may not give, without the thread being unreadable. */
export type Part = "assistant" | "schemas" | "graph" | "drawing" | "events" | "history";

export interface Refused {
  kind: "refused";
  what: Part;
  of: string;
  status: number;
  reason: string;
}

export interface Nodes {
  nodes: JsonObject[];
  edges: JsonObject[];
}

/** A state as the history has it. */
export type SavedState = ThreadState & { checkpoint_id: string; parent_checkpoint_id: string | null };

export type Line =
  | Header
  | { kind: "thread"; thread: Thread }
  | { kind: "run"; run: Run }
  | { kind: "assistant"; assistant: Assistant; schemas: JsonObject | null }
  | { kind: "graph"; graph: string; closed: Nodes; inside: Nodes }
  | { kind: "drawing"; graph: string; open: string[]; drawing: Drawing }
  | { kind: "event"; event: ThreadEvent }
  | { kind: "state"; state: SavedState }
  | { kind: "artifacts"; artifacts: Json[] }
  | Refused
  | { kind: "end"; lines: number; counts: Record<string, number> };

export type Kind = Line["kind"];

/** A line that this page shows as it is, with the reason. */
export class Unknown extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

/** Reads the text of a line. What is wrong with it is an `Unexpected`, and what is of another version an `Unknown`. */
export function readLine(line: string): Line {
  const value = parsed(line);
  if (!isObject(value)) throw new Unexpected("it is no object");
  const kind = text(value, "kind");
  if (kind === "export") return header(value);
  if (value.version !== undefined && value.version !== VERSION) {
    throw new Unknown(kind, `It is of version ${JSON.stringify(value.version)}; this page reads version ${VERSION}.`);
  }
  const check = Object.hasOwn(CHECKS, kind) ? CHECKS[kind as Kind] : undefined;
  if (check === undefined) throw new Unknown(kind, `This page does not know the kind ${JSON.stringify(kind)}.`);
  check(value);
  return value as unknown as Line;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    // The browser counts lines within the text, which is one.
    const why = (error instanceof Error ? error.message : String(error)).replace(/ \(line 1 column \d+\)/, "");
    throw new Unexpected(`it is no JSON: ${why}`);
  }
}

/** The first line; that of another version is looked at no further. */
function header(value: JsonObject): Header {
  if (value.format !== FORMAT) throw new Unexpected(`its \`format\` is not ${JSON.stringify(FORMAT)}`);
  const version = number(value, "version");
  if (version <= VERSION) {
    text(value, "made");
    text(value, "thread");
    text(object(value, "server"), "url");
  }
  return value as unknown as Header;
}

type Check = (value: JsonObject) => void;

const CHECKS: Record<Kind, Check> = {
  export: header,
  thread: (value) => within("thread", value, checkThread),
  run: (value) => within("run", value, checkRun),
  assistant: (value) => {
    within("assistant", value, (of) => texts(of, "assistant_id", "graph_id", "name"));
    if (value.schemas !== null) object(value, "schemas");
  },
  graph: (value) => {
    text(value, "graph");
    for (const field of ["closed", "inside"]) within(field, value, checkNodes);
  },
  drawing: (value) => {
    text(value, "graph");
    eachText(value, "open");
    within("drawing", value, checkDrawing);
  },
  event: (value) => {
    within("event", value, (of) => {
      if (!Number.isSafeInteger(number(of, "seq"))) throw new Unexpected("`seq` is no whole number");
      texts(of, "method");
    });
  },
  state: (value) => within("state", value, checkState),
  artifacts: (value) => void list(value, "artifacts"),
  refused: (value) => {
    texts(value, "what", "of", "reason");
    number(value, "status");
  },
  end: (value) => {
    number(value, "lines");
    const counts = object(value, "counts");
    for (const kind of Object.keys(counts)) number(counts, kind);
  },
};

/** Checks the object in a field; what is wrong says where. */
function within(field: string, value: JsonObject, check: Check): void {
  const inner = object(value, field);
  try {
    check(inner);
  } catch (error) {
    throw error instanceof Unexpected ? new Unexpected(`of its \`${field}\`, ${error.message}`) : error;
  }
}

function texts(value: JsonObject, ...fields: string[]): void {
  for (const field of fields) text(value, field);
}

function numbers(value: JsonObject, ...fields: string[]): void {
  for (const field of fields) number(value, field);
}

function eachText(value: JsonObject, field: string): void {
  const isText = (one: Json) => typeof one === "string";
  if (!list(value, field).every(isText)) throw new Unexpected(`\`${field}\` has what is no text`);
}

/** Checks each object of a list. */
function each(value: JsonObject, field: string, check: Check): void {
  for (const one of list(value, field)) {
    if (!isObject(one)) throw new Unexpected(`\`${field}\` has what is no object`);
    check(one);
  }
}

function checkInterrupts(value: JsonObject, field: string): void {
  each(value, field, (interrupt) => texts(interrupt, "id"));
}

function checkThread(thread: JsonObject): void {
  texts(thread, "thread_id", "created_at", "updated_at", "status");
  object(thread, "metadata");
  if (thread.values !== null) object(thread, "values");
  const interrupts = object(thread, "interrupts");
  for (const task of Object.keys(interrupts)) checkInterrupts(interrupts, task);
}

function checkRun(run: JsonObject): void {
  texts(run, "run_id", "thread_id", "assistant_id", "status", "created_at", "updated_at");
  object(run, "metadata");
  if (run.kwargs !== undefined && run.kwargs !== null) object(run, "kwargs");
}

function checkNodes(graph: JsonObject): void {
  each(graph, "nodes", (node) => {
    if (typeof node.id !== "number") text(node, "id");
  });
  each(graph, "edges", () => undefined);
}

function checkDrawing(drawing: JsonObject): void {
  numbers(drawing, "width", "height");
  each(drawing, "nodes", (node) => {
    texts(node, "id", "name", "kind");
    numbers(node, "x", "y", "width", "height");
  });
  each(drawing, "edges", (edge) => {
    texts(edge, "source", "target", "kind");
    const isPoint = (point: Json) => Array.isArray(point) && point.length === 2 && point.every(Number.isFinite);
    if (!list(edge, "points").every(isPoint)) throw new Unexpected("`points` has what is no point");
  });
}

function checkState(state: JsonObject): void {
  texts(state, "checkpoint_id", "created_at");
  if (state.parent_checkpoint_id !== null) text(state, "parent_checkpoint_id");
  object(state, "values");
  object(state, "metadata");
  eachText(state, "next");
  texts(object(state, "checkpoint"), "checkpoint_ns", "checkpoint_id");
  if (state.parent_checkpoint !== null) texts(object(state, "parent_checkpoint"), "checkpoint_id");
  each(state, "tasks", (task) => {
    texts(task, "id", "name");
    checkInterrupts(task, "interrupts");
    if (task.checkpoint !== null) texts(object(task, "checkpoint"), "checkpoint_ns");
  });
}
