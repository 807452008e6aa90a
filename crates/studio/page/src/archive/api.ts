// Answers what the views of a thread ask, from a saved thread. Whatever would change something is refused.

import { Api, ApiError } from "../api/http.ts";
import { reads } from "../api/reads.ts";
import type { JsonObject } from "../api/types.ts";
import { isObject } from "../parts/json-values.ts";
import type { Part } from "./format.ts";
import type { Archive, KeptState } from "./read.ts";

export const UNCHANGED = "This is a saved export: nothing can be changed in it.";

/** Events that are given out at a time: between them the page goes on. */
const BATCH = 1000;
/** The channel that events of a method belong to, where it has another name. */
const CHANNEL: Record<string, string> = { "input.requested": "input" };

/** What the state of a thread is before anything ran. */
const NO_STATE = {
  values: {},
  next: [],
  tasks: [],
  metadata: null,
  created_at: null,
  checkpoint: null,
  parent_checkpoint: null,
  interrupts: [],
  checkpoint_id: null,
  parent_checkpoint_id: null,
};

let opened = 0;

export class ArchiveApi extends Api {
  override readonly isSaved = true;

  constructor(readonly archive: Archive) {
    // States of one file are not those of another.
    opened += 1;
    super(`file:${opened}`, undefined);
  }

  override async send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    signal?.throwIfAborted();
    if (!reads(method, path)) throw new ApiError(405, UNCHANGED);
    const { pathname, searchParams } = new URL(path, "http://archive");
    const segments = pathname.split("/").slice(1).map(decodeURIComponent);
    const asked = isObject(body) ? body : {};
    const answer = new Answer(this.archive, searchParams, asked).of(method, segments);
    if (answer === undefined) throw new ApiError(404, "A saved export has its thread only: this is not in it.");
    return answer;
  }
}

class Answer {
  constructor(
    private readonly archive: Archive,
    private readonly query: URLSearchParams,
    private readonly body: JsonObject,
  ) {}

  of(method: string, [collection, id, ...rest]: string[]): Response | undefined {
    if (id === undefined) return undefined;
    if (collection === "assistants") return this.assistant(`${method} ${rest.join("/")}`, id);
    if (collection !== "threads") return undefined;
    const { thread, runs } = this.archive;
    if (id !== thread.thread_id) throw new ApiError(404, `The saved export is of the thread ${thread.thread_id}.`);
    const [part = "", one] = rest;
    if (method === "GET" && rest.length < 3) {
      if (part === "") return json(thread);
      if (part === "runs" && one === undefined) return json(this.page(runs, 10));
      if (part === "runs") return json(found(runs.find((run) => run.run_id === one), `the run ${one}`));
      if (part === "state") return json(one === undefined ? (this.newest("") ?? NO_STATE) : this.state("", one));
      return undefined;
    }
    switch (`${method} ${rest.join("/")}`) {
      case "POST state/checkpoint":
        return json(this.checkpoint());
      case "POST history":
        return json(this.history());
      case "POST stream/events":
        return this.events();
    }
    return undefined;
  }

  private page<T>(items: readonly T[], otherwise: number): T[] {
    const offset = Number(this.query.get("offset") ?? 0);
    return items.slice(offset, offset + Number(this.query.get("limit") ?? otherwise));
  }

  private assistant(what: string, id: string): Response | undefined {
    const { assistants, graphs, drawings } = this.archive;
    if (what === "POST " && id === "search") {
      const graph = this.body.graph_id;
      const of = assistants.map((one) => one.assistant).filter((one) => graph === undefined || one.graph_id === graph);
      // What a file lacks that was cut off, nobody can say that it was not there.
      if (of.length === 0 && this.archive.incomplete !== undefined) throw missing("its assistants");
      return json(of.slice(0, limitOf(this.body, 10)));
    }
    const named = assistants.find(({ assistant }) => assistant.assistant_id === id || assistant.graph_id === id);
    const graph = named?.assistant.graph_id ?? id;
    switch (what) {
      case "GET ":
        return json(named?.assistant ?? this.refuse("assistant", id, `the assistant ${id}`));
      case "GET schemas":
        return json(named?.schemas ?? this.refuse("schemas", named?.assistant.assistant_id ?? id, `schemas of ${id}`));
      case "GET graph": {
        const nodes = graphs.get(graph) ?? this.refuse("graph", graph, `the graph ${graph}`);
        return json(this.query.get("xray") === "true" ? nodes.inside : nodes.closed);
      }
      case "GET drawing": {
        const open = JSON.stringify(this.query.getAll("open").sort());
        const of = drawings.filter((drawing) => drawing.graph === graph);
        if (of.length === 0) this.refuse("drawing", graph, `a drawing of ${graph}`);
        const drawing = of.find((one) => JSON.stringify(one.open) === open)?.drawing;
        if (drawing !== undefined) return json(drawing);
        throw new ApiError(400, "The saved export has no drawing with just these subgraphs open.");
      }
    }
    return undefined;
  }

  /** Refuses a part: as the server did when the export was made, where it did. */
  private refuse(what: Part, of: string, name: string): never {
    const refused = this.archive.refused.find((one) => one.what === what && one.of === of);
    if (refused !== undefined) throw new ApiError(refused.status, refused.reason);
    throw missing(name);
  }

  /** The states of a namespace. */
  private states(ns: string): readonly KeptState[] {
    const states = this.archive.states.get(ns);
    if (states !== undefined) return states;
    const isRefused = this.archive.refused.some((one) => one.what === "history" && one.of === ns);
    if (this.archive.incomplete !== undefined && !isRefused) {
      throw new ApiError(404, "The saved export is incomplete: these states are not in it.");
    }
    // Nothing may have run on the thread.
    if (ns === "" && !isRefused) return [];
    return this.refuse("history", ns, `states of ${ns}`);
  }

  private newest(ns: string): JsonObject | undefined {
    return this.states(ns)[0]?.whole() as JsonObject | undefined;
  }

  private state(ns: string, id: string): JsonObject {
    const state = this.states(ns).find((one) => one.id === id);
    return found(state, `the checkpoint ${id}`).whole() as unknown as JsonObject;
  }

  private checkpoint(): JsonObject {
    const { ns, id } = checkpointOf(this.body.checkpoint);
    if (id !== undefined) return this.state(ns, id);
    return this.newest(ns) ?? NO_STATE;
  }

  private history(): JsonObject[] {
    const { ns, id } = checkpointOf(this.body.checkpoint);
    if (this.body.metadata !== undefined) {
      throw new ApiError(400, "In a saved export states are not looked for by their metadata.");
    }
    const paths = this.body.select;
    const select = Array.isArray(paths) ? new Set(paths.map((path) => String(path).split(".", 1)[0])) : undefined;
    const before = beforeOf(this.body.before);
    const named = this.states(ns).filter((one) => id === undefined || one.id === id);
    const states = named.filter((one) => before === undefined || one.id < before);
    return states.slice(0, limitOf(this.body, 1)).map((state) => {
      const hasValues = select === undefined || select.has("values");
      const whole = (hasValues ? state.whole() : state.brief) as unknown as JsonObject;
      if (select === undefined) return whole;
      return Object.fromEntries(Object.entries(whole).filter(([field]) => select.has(field)));
    });
  }

  /** The events of the channels, as a stream that ends. */
  private events(): Response {
    const { channels } = this.body;
    const since = typeof this.body.since === "number" ? this.body.since : -1;
    const wanted = new Set(Array.isArray(channels) ? channels : []);
    const { events } = this.archive;
    let at = 0;
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          // What is shown meanwhile is drawn.
          await new Promise((resolve) => setTimeout(resolve));
          const text: string[] = [];
          for (const end = Math.min(at + BATCH, events.length); at < end; at += 1) {
            const event = events[at];
            if (event === undefined || event.seq <= since) continue;
            if (!wanted.has(CHANNEL[event.method] ?? event.method)) continue;
            text.push(`event: ${event.method}\ndata: ${event.text}\n\n`);
          }
          // A comment: a piece of nothing would not be asked for again.
          controller.enqueue(encoder.encode(text.join("") || ":\n"));
          if (at >= events.length) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  }
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });
}

function missing(name: string): ApiError {
  return new ApiError(404, `The saved export does not have ${name}.`);
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw missing(name);
  return value;
}

function limitOf(body: JsonObject, otherwise: number): number {
  return typeof body.limit === "number" ? body.limit : otherwise;
}

function checkpointOf(value: unknown): { ns: string; id: string | undefined } {
  const checkpoint = isObject(value) ? value : {};
  const { checkpoint_ns: ns, checkpoint_id: id } = checkpoint;
  return { ns: typeof ns === "string" ? ns : "", id: typeof id === "string" ? id : undefined };
}

/** The id of a checkpoint in one of the forms that clients send. */
function beforeOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!isObject(value)) return undefined;
  return checkpointOf(isObject(value.configurable) ? value.configurable : value).id;
}
