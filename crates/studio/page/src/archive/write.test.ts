// What is saved of a server, and that it is what is read again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Api, ApiError } from "../api/http.ts";
import type { Json, JsonObject } from "../api/types.ts";
import { ArchiveApi } from "./api.ts";
import { type Archive, readArchive } from "./read.ts";
import {
  assistant,
  closed,
  drawing,
  events,
  fileOf,
  inside,
  lines,
  run,
  schemas,
  states,
  streamOf,
  THREAD,
  thread,
} from "./sample.ts";
import { exported, type Written } from "./write.ts";

/** A server that has the thread of the sample. Its stream of events stays open. */
class Server extends Api {
  readonly asked: string[] = [];
  readonly refusals = new Map<string, ApiError>();
  thread: JsonObject = thread;
  run: JsonObject = run;
  events: JsonObject[] = events;
  /** Is called with each stream that is opened, to tell more. */
  onStream: (tell: (event: JsonObject) => void, end: () => void) => void = () => {};

  constructor() {
    super("http://127.0.0.1:1", "secret");
  }

  override async send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const asked = `${method} ${path.replace(THREAD, "T")}`;
    this.asked.push(asked);
    const refused = this.refusals.get(asked);
    if (refused !== undefined) throw refused;
    if (asked === "POST /threads/T/stream/events") return this.stream(signal);
    return new Response(JSON.stringify(this.answer(asked, (body ?? {}) as JsonObject)));
  }

  private answer(asked: string, body: JsonObject): Json {
    switch (asked) {
      case "GET /info":
        return { version: "0.1.0" };
      case "GET /threads/T":
        return this.thread;
      case "GET /threads/T/runs?limit=1000&offset=0":
        return [this.run];
      case "GET /assistants/A":
        return assistant;
      case "GET /assistants/A/schemas":
        return schemas;
      case "GET /assistants/nested/graph":
        return closed;
      case "GET /assistants/nested/graph?xray=true":
        return inside;
      case "GET /assistants/nested/drawing":
        return drawing(false);
      case "GET /assistants/nested/drawing?open=child":
        return drawing(true);
      case "POST /threads/T/history":
        return this.history(body);
    }
    throw new ApiError(404, `Not Found: ${asked}`);
  }

  private history(body: JsonObject): Json[] {
    const ns = (body.checkpoint as JsonObject | undefined)?.checkpoint_ns ?? "";
    const { before } = body as { before?: string };
    const of = states.filter((state) => (state.checkpoint as JsonObject).checkpoint_ns === ns);
    const older = of.filter((state) => before === undefined || (state.checkpoint_id as string) < before);
    return older.slice(0, body.limit as number);
  }

  private stream(signal: AbortSignal | undefined): Response {
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const tell = (event: JsonObject) => {
          if (signal?.aborted) return;
          controller.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
        };
        for (const event of this.events) tell(event);
        signal?.addEventListener("abort", () => controller.error(signal.reason));
        this.onStream(tell, () => controller.close());
      },
    });
    return new Response(stream);
  }
}

const now = () => new Date("2026-11-26T21:00:00.000Z");

type More = { signal?: AbortSignal; onLine?: (written: Written) => void };

async function save(api: Api, more: More = {}): Promise<string> {
  let text = "";
  const asked = { thread: THREAD, now, signal: more.signal ?? new AbortController().signal, ...more };
  for await (const line of exported(api, asked)) text += line;
  return text;
}

async function read(text: string): Promise<Archive> {
  const found = await readArchive(streamOf(text, 1000));
  assert.ok("archive" in found);
  return found.archive;
}

test("a thread is saved whole, and without the key", async () => {
  const told: Written[] = [];
  const text = await save(new Server(), { onLine: (written) => told.push(structuredClone(written)) });
  assert.equal(text, fileOf(lines()));
  assert.ok(!text.includes("secret"));
  assert.equal(told.length, lines().length);
  assert.deepEqual(told.at(-1), {
    lines: 19,
    counts: { export: 1, thread: 1, run: 1, assistant: 1, graph: 1, drawing: 2, event: 6, state: 5, artifacts: 1 },
  });
});

test("what is read can be saved again, and is the same", async () => {
  const text = await save(new Server());
  const again = await save(new ArchiveApi(await read(text)));
  const rest = (of: string) => of.slice(of.indexOf("\n"));
  assert.equal(rest(again), rest(text));
});

test("what the server refuses is said, and the rest is saved", async () => {
  const server = new Server();
  server.refusals.set("GET /assistants/nested/drawing", new ApiError(404, "Not Found"));
  server.refusals.set("GET /assistants/A/schemas", new ApiError(404, "No schemas"));
  const archive = await read(await save(server));
  assert.deepEqual(
    archive.refused.map(({ what, of, status, reason }) => [what, of, status, reason]),
    [
      ["schemas", "A", 404, "No schemas"],
      ["drawing", "nested", 404, "Not Found"],
    ],
  );
  assert.equal(archive.assistants[0]?.schemas, null);
  assert.equal(archive.events.length, events.length);
});

test("a graph that is served no longer still has its events", async () => {
  const server = new Server();
  server.refusals.set("POST /threads/T/history", new ApiError(400, "The graph 'nested' is not served here"));
  const archive = await read(await save(server));
  assert.deepEqual(archive.refused.map((one) => one.what), ["history"]);
  assert.deepEqual([archive.events.length, archive.states.size], [events.length, 0]);
});

test("a server that fails, or a thread that is not there, is an error", async () => {
  const lost = new Server();
  lost.refusals.set("POST /threads/T/history", new ApiError(0, "The server cannot be reached."));
  await assert.rejects(save(lost), { message: "The server cannot be reached." });
  const gone = new Server();
  gone.refusals.set("GET /threads/T", new ApiError(404, "Thread not found"));
  await assert.rejects(save(gone), { message: "Thread not found" });
});

test("an older server is asked without its attempts", async () => {
  const server = new Server();
  const refuse = server.refusals;
  refuse.set("POST /threads/T/stream/events", new ApiError(400, "`trace` is no channel"));
  const send = server.send.bind(server);
  server.send = async (method, path, body, signal) => {
    const { channels } = (body ?? {}) as { channels?: string[] };
    if (channels !== undefined && !channels.includes("trace")) refuse.delete("POST /threads/T/stream/events");
    return send(method, path, body, signal);
  };
  assert.equal((await read(await save(server))).events.length, events.length);
});

test("events that are told late are waited for", async () => {
  const server = new Server();
  server.events = events.slice(0, 2);
  server.onStream = (tell) => setTimeout(() => events.slice(2).forEach(tell), 900);
  assert.equal((await read(await save(server))).events.length, events.length);
});

test("of a run that is under way, what was told is saved and nothing is waited for", async () => {
  const server = new Server();
  server.thread = { ...thread, status: "busy" };
  server.run = { ...run, status: "running" };
  server.events = events.slice(0, 5);
  let more = 10;
  server.onStream = (tell) => {
    const timer = setInterval(() => {
      more += 1;
      if (more > 100) clearInterval(timer);
      tell({ ...events[3], seq: more } as JsonObject);
    }, 50);
  };
  const began = performance.now();
  const archive = await read(await save(server));
  more = 1000;
  assert.ok(performance.now() - began < 3000);
  assert.ok(archive.events.length > 5 && archive.events.length < 50);
  assert.equal(archive.thread.status, "busy");
});

test("a thread that told nothing, as a copy, is saved with its states", async () => {
  const server = new Server();
  server.events = [];
  const archive = await read(await save(server));
  assert.deepEqual([archive.events.length, archive.states.get("")?.length, archive.refused.length], [0, 3, 0]);
});

test("what is known to be missing of the events is said", { timeout: 20_000 }, async () => {
  const server = new Server();
  server.events = events.slice(0, 2);
  const archive = await read(await save(server));
  assert.deepEqual(archive.refused.map((one) => one.what), ["events"]);
});

test("a stream that ends too early is an error", async () => {
  const server = new Server();
  server.events = events.slice(0, 2);
  server.onStream = (_, end) => end();
  await assert.rejects(save(server), { message: "The server ended the stream of events before all were told." });
});

test("an error in the stream is one of the export", async () => {
  const server = new Server();
  server.events = [{ type: "error", message: "the events of the thread cannot be read; try again later" }];
  await assert.rejects(save(server), { message: "the events of the thread cannot be read; try again later" });
});

test("an export is given up at once", async () => {
  const stop = new AbortController();
  const server = new Server();
  server.events = events.slice(0, 1);
  server.onStream = () => setTimeout(() => stop.abort(), 50);
  const began = performance.now();
  await assert.rejects(save(server, { signal: stop.signal }), { name: "AbortError" });
  assert.ok(performance.now() - began < 1000);
});
