// Which drawings of a graph are saved.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Drawing } from "../views/thread/graph/drawing.ts";
import { drawings } from "./drawings.ts";

/** A graph with these subgraphs; one whose id begins with another's is inside of it. */
function graph(ids: string[]): (open: string[]) => Promise<Drawing> {
  return async (open) => {
    const isSeen = (id: string) => {
      const around = id.split(":").slice(0, -1).join(":");
      return around === "" || open.includes(around);
    };
    const nodes = ids.filter(isSeen).map((id) => {
      return { id, name: id, kind: "subgraph", open: open.includes(id), x: 0, y: 0, width: 1, height: 1 };
    });
    return { width: 1, height: 1, nodes, edges: [] };
  };
}

async function saved(ids: string[], most?: number): Promise<string[]> {
  const all: string[] = [];
  for await (const { open } of drawings(graph(ids), most)) all.push(open.join(" "));
  return all;
}

test("each subgraph is closed and open with each state of the others", async () => {
  assert.deepEqual(await saved([]), [""]);
  assert.deepEqual(await saved(["a"]), ["", "a"]);
  assert.deepEqual(await saved(["a", "b"]), ["", "a", "b", "a b"]);
  assert.deepEqual(await saved(["a", "a:x"]), ["", "a", "a a:x"]);
});

test("of a graph with many subgraphs the whole is saved, and as much else as there is room for", async () => {
  const all = await saved(["a", "b", "c", "d", "c:x"], 6);
  assert.equal(all.length, 7);
  assert.deepEqual(all.slice(0, 5), ["", "a", "b", "c", "d"]);
  assert.equal(all.at(-1), "a b c c:x d");
});
