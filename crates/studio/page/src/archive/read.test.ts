// Files as they are saved, and every way in which one can be broken.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../api/types.ts";
import { type Archive, BrokenFile, readArchive } from "./read.ts";
import { event, events, fileOf, header, lines, NS, state, streamOf, thread } from "./sample.ts";

async function read(text: string | Uint8Array): Promise<Archive> {
  const found = await readArchive(streamOf(text));
  assert.ok("archive" in found, "the file is of this version");
  return found.archive;
}

async function broken(text: string | Uint8Array): Promise<string> {
  try {
    await readArchive(streamOf(text));
  } catch (error) {
    assert.ok(error instanceof BrokenFile, String(error));
    return `${error.line}: ${error.message}`;
  }
  assert.fail("the file was read");
}

/** The lines with one in the place of another. */
function put(at: number, line: unknown): string {
  const all = fileOf(lines()).split("\n");
  all[at - 1] = typeof line === "string" ? line : JSON.stringify(line);
  return all.join("\n");
}

test("a whole file is read, in whatever pieces it comes", async () => {
  for (const size of [1, 7, 100_000]) {
    const found = await readArchive(streamOf(fileOf(lines()), size));
    assert.ok("archive" in found);
    const { archive } = found;
    assert.equal(archive.incomplete, undefined);
    assert.deepEqual(archive.thread, thread);
    assert.deepEqual([archive.runs.length, archive.assistants.length], [1, 1]);
    assert.deepEqual([archive.graphs.size, archive.drawings.length], [1, 2]);
    assert.deepEqual(archive.events.map((one) => JSON.parse(one.text)), events);
    assert.deepEqual(archive.states.get("")?.map((one) => one.id), ["c3", "c2", "c1"]);
    assert.deepEqual(archive.states.get(NS)?.map((one) => one.id), ["d2", "d1"]);
    assert.deepEqual(archive.states.get("")?.[0]?.whole(), state("c3", "c2"));
    assert.equal("values" in (archive.states.get("")?.[0]?.brief ?? {}), false);
    assert.deepEqual(archive.artifacts, [{ name: "report.md" }]);
    assert.deepEqual(archive.raw, []);
  }
});

test("line ends of another system, blank lines and a mark of the byte order change nothing", async () => {
  const text = `\ufeff${fileOf(lines()).replaceAll("\n", "\r\n")}\r\n\r\n`;
  assert.equal((await read(text)).incomplete, undefined);
});

test("how far it has come is told", async () => {
  const text = fileOf(lines());
  const told: number[] = [];
  await readArchive(streamOf(text, 100), { onBytes: (bytes) => told.push(bytes) });
  assert.equal(told.at(-1), new TextEncoder().encode(text).length);
  assert.ok(told.length > 10);
});

test("reading can be given up", async () => {
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(readArchive(streamOf(fileOf(lines())), { signal: stop.signal }), { name: "AbortError" });
});

test("what is no export is said at its first line", async () => {
  assert.equal(await broken(""), "1: The file is empty.");
  const no = async (text: string) => {
    const said = await broken(text);
    assert.ok(said.startsWith("1: This is no export of a thread: "), said);
    return said.slice("1: This is no export of a thread: ".length);
  };
  assert.match(await no("hello\n"), /^it is no JSON/);
  assert.equal(await no('{"a":1}\n'), "`kind` is no text.");
  const other = '{"kind":"export","format":"other","version":1}\n';
  assert.equal(await no(other), 'its `format` is not "graphloom-thread".');
  assert.equal(await no('{"kind":"thread","thread":{}}\n'), "of its `thread`, `thread_id` is no text.");
  assert.equal(await no(fileOf([{ kind: "artifacts", artifacts: [] }])), "its first line does not say so.");
  assert.equal(await no('{"kind":"new"}\n'), 'This page does not know the kind "new".');
});

test("a broken line is named by its number, with what is wrong", async () => {
  const graph = { kind: "graph", graph: "g", closed: { nodes: [1], edges: [] }, inside: {} };
  const drawing = { kind: "drawing", graph: "g", open: [], drawing: { width: "1" } };
  const assistant = { assistant_id: "A", graph_id: "g", name: "n" };
  const first = state("c3", null);
  const tasks = [{ id: "t", name: "n" }];
  const cases: [at: number, line: unknown, expected: RegExp][] = [
    [3, "{nonsense", /^3: It is no JSON: /],
    [3, "[1]", /^3: It is no object\.$/],
    [3, "null", /^3: It is no object\.$/],
    [3, {}, /^3: `kind` is no text\.$/],
    [3, { kind: "run" }, /^3: `run` is no object\.$/],
    [3, { kind: "run", run: {} }, /^3: Of its `run`, `run_id` is no text\.$/],
    [4, { kind: "assistant", assistant }, /^4: `schemas` is no object\.$/],
    [5, graph, /^5: Of its `closed`, `nodes` has what is no object\.$/],
    [6, { kind: "drawing", graph: "g", open: [1], drawing: {} }, /^6: `open` has what is no text\.$/],
    [6, drawing, /^6: Of its `drawing`, `width` is no number\.$/],
    [8, { kind: "event", event: { seq: 1.5, method: "m" } }, /^8: Of its `event`, `seq` is no whole number\.$/],
    [9, { kind: "event", event: event(1, "custom", {}) }, /^9: The number of its event is 1, and .* before 1\.$/],
    [14, { kind: "state", state: { ...first, values: null } }, /^14: Of its `state`, `values` is no object\.$/],
    [14, { kind: "state", state: { ...first, tasks } }, /^14: Of its `state`, `interrupts` is no list\.$/],
    [5, header, /^5: A second export begins here\.$/],
    [5, { kind: "thread", thread }, /^5: It is a second thread\.$/],
    [19, { kind: "artifacts" }, /^19: `artifacts` is no list\.$/],
    [19, { kind: "refused", what: "drawing", of: "g", reason: "r" }, /^19: `status` is no number\.$/],
    [19, { kind: "end", lines: 1, counts: { run: "1" } }, /^19: `run` is no number\.$/],
  ];
  for (const [at, line, expected] of cases) assert.match(await broken(put(at, line)), expected);
});

test("a drawing whose edges lead nowhere is broken", async () => {
  const edge = { source: "a", target: "b", kind: "always", points: [[0, "x"]] };
  const drawing = { width: 1, height: 1, nodes: [], edges: [edge] };
  const expected = "6: Of its `drawing`, `points` has what is no point.";
  assert.equal(await broken(put(6, { kind: "drawing", graph: "g", open: [], drawing })), expected);
});

test("lines behind the end are none of the file", async () => {
  const more: JsonObject = { kind: "artifacts", artifacts: [] };
  const text = `${fileOf(lines())}${JSON.stringify(more)}\n`;
  assert.equal(await broken(text), "21: It comes after the end, which is line 20.");
});

test("bytes that are no text are said where they are", async () => {
  const bytes = new TextEncoder().encode(fileOf(lines()));
  bytes[JSON.stringify(header).length + 20] = 0xff;
  assert.equal(await broken(bytes), "2: It, or one soon behind it, has bytes that are no UTF-8.");
});

test("a line that never ends is given up", async () => {
  const text = `${JSON.stringify(header)}\n${"x".repeat(5000)}`;
  const reading = readArchive(streamOf(text, 64), { longest: 1000 });
  await assert.rejects(reading, { message: "It is too long to be a line of an export.", line: 2 });
});

test("a file that was cut off is opened with what it has", async () => {
  const text = fileOf(lines());
  const cut = await read(text.slice(0, text.indexOf('"c2"')));
  assert.match(cut.incomplete ?? "", /^Its last line is cut off\. What came before it is shown: 1\d lines\.$/);
  assert.equal(cut.thread.thread_id, thread.thread_id);
  const between = await read(fileOf(lines().slice(0, 9), false));
  assert.equal(between.incomplete, "Its last line is missing. What came before it is shown: 9 lines.");
  // A last line without its line feed is whole if it can be read.
  assert.equal((await read(text.trimEnd())).incomplete, undefined);
});

test("a file that ends before its thread shows nothing", async () => {
  const said = "The file ends before its thread: nothing of it can be shown.";
  assert.equal(await broken(`${JSON.stringify(header)}\n`), `2: ${said}`);
  assert.equal(await broken(`${JSON.stringify(header)}\n{"kind":"thr`), `3: ${said}`);
});

test("lines that are missing between are noticed at the end", async () => {
  const all = fileOf(lines()).split("\n");
  all.splice(9, 1);
  assert.equal(
    (await read(all.join("\n"))).incomplete,
    'By its last line it was to have 6 lines of the kind "event", and it has 5.',
  );
});

test("lines of kinds and versions that are not known are kept as they are", async () => {
  const later = { kind: "event", version: 2, event: "of another shape" };
  const all = lines();
  all.splice(8, 0, { kind: "memory", of: "the future" }, later);
  const archive = await read(fileOf(all));
  assert.equal(archive.incomplete, undefined);
  assert.deepEqual(
    archive.raw.map(({ number, reason }) => [number, reason]),
    [
      [9, 'This page does not know the kind "memory".'],
      [10, "It is of version 2; this page reads version 1."],
    ],
  );
  assert.equal(archive.raw[1]?.text, JSON.stringify(later));
  assert.equal(archive.events.length, events.length);
});

test("of a file of a later version nothing is understood", async () => {
  const first = { kind: "export", format: "graphloom-thread", version: 2, all: "new" };
  const text = fileOf([first, "not even an object", ...lines().slice(1)]);
  const found = await readArchive(streamOf(text));
  assert.ok("later" in found);
  assert.deepEqual([found.later.version, found.later.lines.length, found.later.more], [2, 21, 0]);
  assert.equal(found.later.lines[1]?.text, '"not even an object"');
});
