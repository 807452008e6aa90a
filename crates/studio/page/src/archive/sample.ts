// A small saved thread for tests: a graph with a subgraph that ran once.

import type { Json, JsonObject } from "../api/types.ts";
import { FORMAT, VERSION } from "./format.ts";

export const THREAD = "01a219a5-e2f0-7762-8539-fed226cbd885";
export const NS = "child:task-1";

export const header: JsonObject = {
  kind: "export",
  format: FORMAT,
  version: VERSION,
  made: "2026-11-26T21:00:00.000Z",
  server: { url: "http://127.0.0.1:1", version: "0.1.0" },
  thread: THREAD,
};

export const thread: JsonObject = {
  thread_id: THREAD,
  created_at: "2026-11-26T20:57:11.664000+00:00",
  updated_at: "2026-11-26T20:57:11.758000+00:00",
  metadata: { graph_id: "nested", assistant_id: "A" },
  status: "idle",
  values: { text: "X", artifacts: [{ name: "report.md" }] },
  interrupts: {},
  error: null,
};

export const run: JsonObject = {
  run_id: "R",
  thread_id: THREAD,
  assistant_id: "A",
  status: "success",
  created_at: thread.created_at as string,
  updated_at: thread.updated_at as string,
  metadata: { graph_id: "nested", assistant_id: "A" },
  kwargs: { input: { text: "x" } },
};

export const assistant: JsonObject = { assistant_id: "A", graph_id: "nested", name: "nested", metadata: {} };
export const schemas: JsonObject = { graph_id: "nested", input_schema: { type: "object" } };
export const closed: JsonObject = { nodes: [{ id: "__start__" }, { id: "child" }, { id: "__end__" }], edges: [] };
export const inside: JsonObject = { nodes: [{ id: "__start__" }, { id: "child:upper" }, { id: "__end__" }], edges: [] };

export function drawing(open: boolean): JsonObject {
  const box = { x: 0, y: 0, width: 10, height: 10 };
  const child = { id: "child", name: "child", kind: "subgraph", open, ...box };
  const upper = { id: "child:upper", name: "upper", kind: "node", parent: "child", ...box };
  const edge = { source: "__start__", target: "child", kind: "always", label: null, points: [[0, 0], [1, 1]] };
  return { width: 10, height: 10, nodes: open ? [child, upper] : [child], edges: [edge] };
}

export function state(id: string, parent: string | null, ns = "", values: JsonObject = { at: id }): JsonObject {
  const checkpoint = { thread_id: THREAD, checkpoint_ns: ns, checkpoint_id: id };
  const inner = { thread_id: THREAD, checkpoint_ns: NS };
  const task = { id: "task-1", name: "child", error: null, interrupts: [], checkpoint: inner, result: null };
  return {
    values,
    next: [],
    tasks: ns === "" && id === "c2" ? [task] : [],
    metadata: { source: "loop", step: 1 },
    created_at: thread.created_at as string,
    checkpoint,
    parent_checkpoint: parent === null ? null : { ...checkpoint, checkpoint_id: parent },
    checkpoint_id: id,
    parent_checkpoint_id: parent,
  };
}

export function event(seq: number, method: string, data: JsonObject): JsonObject {
  const params = { namespace: [], timestamp: 1000 + seq, data };
  return { type: "event", event_id: `${THREAD}:${seq}`, seq, method, params };
}

export const states = [
  state("c3", "c2"),
  state("c2", "c1"),
  state("c1", null),
  state("d2", null, NS),
  state("d1", null, NS),
];

export const events = [
  event(1, "lifecycle", { event: "running", graph_name: "nested" }),
  event(2, "checkpoints", { id: "c1", parent_id: null, step: -1, source: "input" }),
  event(3, "input.requested", { interrupt_id: "i" }),
  event(4, "custom", { payload: "\u2028 and ünïcödé" }),
  event(5, "checkpoints", { id: "c3", parent_id: "c2", step: 1, source: "loop" }),
  event(6, "lifecycle", { event: "completed", graph_name: "nested" }),
];

/** The lines before the end. */
export function lines(): JsonObject[] {
  return [
    header,
    { kind: "thread", thread },
    { kind: "run", run },
    { kind: "assistant", assistant, schemas },
    { kind: "graph", graph: "nested", closed, inside },
    { kind: "drawing", graph: "nested", open: [], drawing: drawing(false) },
    { kind: "drawing", graph: "nested", open: ["child"], drawing: drawing(true) },
    ...events.map((event) => ({ kind: "event", event })),
    ...states.map((state) => ({ kind: "state", state })),
    { kind: "artifacts", artifacts: [{ name: "report.md" }] },
  ];
}

/** The text of lines, with the end that belongs to them. */
export function fileOf(of: readonly Json[], end = true): string {
  const counts: Record<string, number> = {};
  for (const line of of) {
    const { kind } = line as { kind: string };
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  const all = end ? [...of, { kind: "end", lines: of.length, counts }] : of;
  return all.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A text as a stream of small pieces. */
export function streamOf(text: string | Uint8Array, size = 7): ReadableStream<Uint8Array> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, at + size));
      at += size;
    },
  });
}
