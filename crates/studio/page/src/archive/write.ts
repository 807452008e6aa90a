// Makes the lines of a saved thread from what a server answers, one after the other.

import { type Api, ApiError } from "../api/http.ts";
import type { Assistant, Json, JsonObject, Run, Thread } from "../api/types.ts";
import { type Drawing, drawingPath } from "../views/thread/graph/drawing.ts";
import { drawings } from "./drawings.ts";
import type { Header, Kind, Line, Nodes, Part, Refused, SavedState } from "./format.ts";
import { FORMAT, VERSION } from "./format.ts";
import { storedEvents, type Told } from "./stored.ts";

export interface Written {
  /** Lines of each kind so far. */
  counts: Readonly<Partial<Record<Kind, number>>>;
  lines: number;
}

export interface Asked {
  thread: string;
  signal: AbortSignal;
  /** Is told after every line. */
  onLine?: (written: Written) => void;
  now?: () => Date;
}

/** Runs that are asked for at a time. */
const RUNS = 1000;
/** Newest checkpoints among which one is looked for that a run made. */
const NEWEST = 10;
/** States that are asked for at a time: at first, and at most. */
const FIRST = 20;
const MOST = 200;
/** A page of states takes about as long, in milliseconds. */
const LONG = 1000;

/** What a server answers to a request for what it does not have. */
const REFUSALS = new Set([400, 404, 422]);

/** The lines, each with its line feed. */
export async function* exported(api: Api, asked: Asked): AsyncGenerator<string> {
  const counts: Partial<Record<Kind, number>> = {};
  let lines = 0;
  for await (const { kind, text } of new Export(api, asked).lines()) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    lines += 1;
    yield `${text}\n`;
    asked.onLine?.({ counts, lines });
  }
  const end: Line = { kind: "end", lines, counts: counts as Record<string, number> };
  yield `${JSON.stringify(end)}\n`;
}

interface Info {
  version?: string;
}

interface Made {
  kind: Kind;
  text: string;
}

function made(line: Line): Made {
  return { kind: line.kind, text: JSON.stringify(line) };
}

class Export {
  private readonly path: string;
  private readonly signal: AbortSignal;

  constructor(
    private readonly api: Api,
    private readonly asked: Asked,
  ) {
    this.path = `/threads/${encodeURIComponent(asked.thread)}`;
    this.signal = asked.signal;
  }

  async *lines(): AsyncGenerator<Made> {
    const { api, path, signal } = this;
    const thread = await api.get<Thread>(path, signal);
    const runs = await this.runs();
    const newest = await this.may("history", "", () => this.newest());
    yield made(await this.header());
    yield made({ kind: "thread", thread });
    for (const run of runs) yield made({ kind: "run", run });
    yield* this.graphs(thread, runs);
    const last = runs.find((run) => run.status !== "pending");
    const told = { checkpoint: isRefused(newest) ? undefined : newest, isOver: last?.status !== "running" };
    yield* this.events(told);
    // The states come behind the events: each commit that is told has its state, unless it was taken back meanwhile.
    if (isRefused(newest)) yield made(newest);
    else yield* this.states();
    const artifacts = thread.values?.artifacts;
    yield made({ kind: "artifacts", artifacts: Array.isArray(artifacts) ? artifacts : [] });
  }

  private async *events(told: Told): AsyncGenerator<Made> {
    const events = storedEvents(this.api, this.asked.thread, told, this.signal);
    try {
      for (;;) {
        const next = await events.next();
        if (next.done !== true) {
          yield { kind: "event", text: `{"kind":"event","event":${next.value.text}}` };
          continue;
        }
        const reason = "The newest commit, or the end of the last run, was not told: later events may be missing.";
        if (!next.value) yield made({ kind: "refused", what: "events", of: "", status: 0, reason });
        return;
      }
    } finally {
      // An export that is given up closes the stream.
      await events.return(false);
    }
  }

  private async header(): Promise<Header> {
    const info = await this.api.get<Info>("/info", this.signal).catch((error: unknown): Info => {
      if (error instanceof ApiError && error.status >= 400) return {};
      throw error;
    });
    const server = { url: this.api.base, version: info.version ?? null };
    const made = (this.asked.now?.() ?? new Date()).toISOString();
    return { kind: "export", format: FORMAT, version: VERSION, made, server, thread: this.asked.thread };
  }

  private async runs(): Promise<Run[]> {
    const runs: Run[] = [];
    for (;;) {
      const page = await this.api.get<Run[]>(`${this.path}/runs?limit=${RUNS}&offset=${runs.length}`, this.signal);
      runs.push(...page);
      if (page.length < RUNS) return runs;
    }
  }

  /** The newest checkpoint that a run made: edits and forks are not told. */
  private async newest(): Promise<string | undefined> {
    const body = { limit: NEWEST, select: ["checkpoint_id", "metadata"] };
    type Brief = Pick<SavedState, "checkpoint_id" | "metadata">;
    const states = await this.api.post<Brief[]>(`${this.path}/history`, body, this.signal);
    return states.find((state) => state.metadata.source === "loop" || state.metadata.source === "input")?.checkpoint_id;
  }

  /** The assistants that ran on the thread, and their graphs. */
  private async *graphs(thread: Thread, runs: Run[]): AsyncGenerator<Made> {
    const { api, signal } = this;
    const names = [thread.metadata.assistant_id, ...runs.map((run) => run.assistant_id)];
    const graphs = new Set<string>();
    const add = (name: Json | undefined) => typeof name === "string" && graphs.add(name);
    add(thread.metadata.graph_id);
    const known = new Set<string>();
    for (const id of new Set(names.filter((name) => typeof name === "string"))) {
      const path = `/assistants/${encodeURIComponent(id)}`;
      const assistant = await this.may("assistant", id, () => api.get<Assistant>(path, signal));
      if (isRefused(assistant)) yield made(assistant);
      else {
        add(assistant.graph_id);
        known.add(assistant.graph_id);
        yield* this.assistant(assistant);
      }
    }
    for (const run of runs) add(run.metadata.graph_id);
    for (const graph of graphs) {
      if (!known.has(graph)) {
        const found = await this.may("assistant", graph, () =>
          api.post<Assistant[]>("/assistants/search", { graph_id: graph, limit: 1 }, signal),
        );
        if (isRefused(found)) yield made(found);
        else for (const assistant of found) yield* this.assistant(assistant);
      }
      yield* this.graph(graph);
    }
  }

  private async *assistant(assistant: Assistant): AsyncGenerator<Made> {
    const id = assistant.assistant_id;
    const schemas = await this.may("schemas", id, () =>
      this.api.get<JsonObject>(`/assistants/${encodeURIComponent(id)}/schemas`, this.signal),
    );
    if (isRefused(schemas)) yield made(schemas);
    yield made({ kind: "assistant", assistant, schemas: isRefused(schemas) ? null : schemas });
  }

  private async *graph(graph: string): AsyncGenerator<Made> {
    const { api, signal } = this;
    const path = `/assistants/${encodeURIComponent(graph)}/graph`;
    const nodes = await this.may("graph", graph, async () => {
      const closed = await api.get<Nodes>(path, signal);
      return { closed, inside: await api.get<Nodes>(`${path}?xray=true`, signal) };
    });
    yield made(isRefused(nodes) ? nodes : { kind: "graph", graph, ...nodes });
    const all = drawings((open) => api.get<Drawing>(drawingPath(graph, open), signal));
    for (;;) {
      const next = await this.may("drawing", graph, () => all.next());
      if (isRefused(next)) yield made(next);
      if (isRefused(next) || next.done === true) return;
      yield made({ kind: "drawing", graph, ...next.value });
    }
  }

  /** The states of the thread, then those of the graphs inside, however deep. */
  private async *states(): AsyncGenerator<Made> {
    const namespaces = new Set([""]);
    // What is added while they are gone through is gone through as well.
    for (const ns of namespaces) {
      const states = this.history(ns);
      for (;;) {
        const page = await this.may("history", ns, () => states.next());
        if (isRefused(page)) yield made(page);
        if (isRefused(page) || page.done === true) break;
        for (const state of page.value) {
          for (const { checkpoint } of state.tasks) if (checkpoint !== null) namespaces.add(checkpoint.checkpoint_ns);
          yield made({ kind: "state", state });
        }
      }
    }
  }

  private async *history(ns: string): AsyncGenerator<SavedState[]> {
    let size = FIRST;
    let before: string | undefined;
    for (;;) {
      const began = performance.now();
      const body: JsonObject = { limit: size };
      if (before !== undefined) body.before = before;
      if (ns !== "") body.checkpoint = { checkpoint_ns: ns };
      const page = await this.api.post<SavedState[]>(`${this.path}/history`, body, this.signal);
      const took = performance.now() - began;
      yield page;
      if (page.length < size) return;
      before = page.at(-1)?.checkpoint_id;
      if (took > LONG) size = Math.max(1, size >> 1);
      else if (took < LONG / 3) size = Math.min(MOST, size * 2);
    }
  }

  /** What a server refuses is no reason to save nothing. */
  private async may<T>(what: Part, of: string, ask: () => Promise<T>): Promise<T | Refused> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || !REFUSALS.has(error.status)) throw error;
      return { kind: "refused", what, of, status: error.status, reason: error.message };
    }
  }
}

function isRefused(answer: unknown): answer is Refused {
  return typeof answer === "object" && answer !== null && "kind" in answer && answer.kind === "refused";
}
