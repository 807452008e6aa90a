import assert from "node:assert/strict";
import { test } from "node:test";
import { LiveNodes } from "./live.ts";
import { Story } from "./story.ts";
import { nodeWords } from "./words.ts";

const standings = (nodes: LiveNodes, ids: string[]) => ids.map((id) => nodeWords(nodes.node(id).value));

test("a node is skipped when the run has ended well without it, and not before", () => {
  const story = new Story().run("r").input().begin(["a"]);
  const nodes = new LiveNodes(undefined);
  const take = () => {
    nodes.take(story.model);
    nodes.tell();
    return standings(nodes, ["a", "b", "b:in"]);
  };
  assert.deepEqual(take(), ["running", "not reached", "not reached"]);
  story.finish(["a"]).commit().run("r", "completed");
  assert.deepEqual(take(), ["done", "skipped", "skipped"]);
  story.run("s").input();
  assert.deepEqual(take(), ["done", "not reached", "not reached"]);
  story.begin(["b"]);
  assert.deepEqual(take(), ["done", "running", "not reached"]);
});

test("where a run failed, asks or was stopped, nothing was skipped", () => {
  for (const end of ["failed", "interrupted"]) {
    const nodes = new LiveNodes(undefined);
    nodes.take(new Story().run("r").input().begin(["a"]).finish(["a"]).commit().run("r", end).model);
    assert.deepEqual(standings(nodes, ["b"]), ["not reached"], end);
  }
});

test("of one run, what ran since the same input was not skipped", () => {
  const story = new Story().run("r").input().begin(["a"]).finish(["a"]).commit().begin(["b"]).ask("b");
  story.run("r", "interrupted").run("s").begin(["b"]).finish(["b"]).commit().run("s", "completed");
  story.run("t").input().begin(["a/2"]).finish(["a/2"]).commit().run("t", "completed");
  const of = (run: number) => {
    const nodes = new LiveNodes(run);
    nodes.take(story.model);
    return standings(nodes, ["a", "b", "c"]);
  };
  assert.deepEqual(of(0), ["done", "asks", "not reached"]);
  assert.deepEqual(of(1), ["not reached", "done", "skipped"]);
  assert.deepEqual(of(2), ["done", "skipped", "skipped"]);
});
