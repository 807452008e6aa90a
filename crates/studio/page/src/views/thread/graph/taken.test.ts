import assert from "node:assert/strict";
import { test } from "node:test";
import type { Drawing } from "./drawing.ts";
import { Story } from "./story.ts";
import { Taken } from "./taken.ts";

/** A drawing of edges `a > b kind`. */
function drawing(...edges: string[]): Drawing {
  const parts = edges.map((edge) => edge.split(" "));
  const ids = [...new Set(parts.flatMap(([source = "", , target = ""]) => [source, target]))];
  const kind = (id: string) => (id.endsWith("__start__") ? "start" : id.endsWith("__end__") ? "end" : "node");
  return {
    width: 0,
    height: 0,
    nodes: ids.map((id) => ({ id, name: id, kind: kind(id), x: 0, y: 0, width: 0, height: 0 })),
    edges: parts.map(([source = "", , target = "", kind = "always"]) => ({ source, target, kind, points: [] })),
  };
}

/** The edges that were taken, of events that came at once. */
function taken(of: Drawing, story: Story, run?: number): string[] {
  const all = new Taken(of, run);
  all.update(story.model);
  return of.edges.filter((_, at) => all.has(at)).map(({ source, target, kind }) => `${source} > ${target} ${kind}`);
}

const PIPELINE = drawing("__start__ > a", "a > b", "b > __end__");

test("a pipeline is taken step by step, and its end when the run ends", () => {
  const story = new Story().run("r").input().begin(["a"]);
  const live = new Taken(PIPELINE);
  assert.deepEqual([...live.update(story.model)], [0]);
  assert.deepEqual([...live.update(story.finish(["a"]).commit().begin(["b"]).model)], [1]);
  assert.deepEqual([...live.update(story.finish(["b"]).commit().model)], []);
  assert.deepEqual([...live.update(story.run("r", "completed").model)], [2]);
  assert.equal(taken(PIPELINE, story).length, 3);
});

test("a run that failed or asks has taken no edge to the end", () => {
  const story = new Story().run("r").input().begin(["a"]).finish(["a"]).commit().begin(["b"]).ask("b");
  assert.deepEqual(taken(PIPELINE, story.run("r", "interrupted")), ["__start__ > a always", "a > b always"]);
  story.run("s").begin(["b"]).finish(["b"]).commit().run("s", "completed");
  assert.deepEqual(taken(PIPELINE, story), ["__start__ > a always", "a > b always", "b > __end__ always"]);
  assert.deepEqual(taken(PIPELINE, story, 1), ["b > __end__ always"]);
});

test("of the ways that a node may go, the one that was gone counts", () => {
  const of = drawing("__start__ > a", "a > b goto", "a > c goto", "b > __end__", "c > __end__");
  const story = new Story().run("r").input().begin(["a"]).finish(["a"]).commit().begin(["c"]).finish(["c"]).commit();
  assert.deepEqual(taken(of, story.run("r", "completed")), [
    "__start__ > a always",
    "a > c goto",
    "c > __end__ always",
  ]);
});

test("a loop takes its edge back, and the end only when it ends", () => {
  const of = drawing("__start__ > t", "t > t conditional", "t > __end__ conditional");
  const story = new Story().run("r").input().begin(["t/1"]).finish(["t/1"]).commit().begin(["t/2"]);
  assert.deepEqual(taken(of, story), ["__start__ > t always", "t > t conditional"]);
  story.finish(["t/2"]).commit().run("r", "completed");
  assert.equal(taken(of, story).length, 3);
});

test("a task that was sent is explained by sends only, and one that was not never by them", () => {
  const of = drawing("a > w send", "a > w conditional", "w > j", "a > j send");
  const story = new Story().run("r").input().begin(["a"]).finish(["a"]).commit();
  story.begin(["w/1", "w/2"], { sent: true }).finish(["w/1", "w/2"]).commit().begin(["j"]);
  assert.deepEqual(taken(of, story), ["a > w send", "w > j always"]);
});

test("an edge that is always followed explains a task before those that something decides", () => {
  const of = drawing("a > c", "b > c conditional", "b > d conditional");
  const story = new Story().run("r").input().begin(["a", "b"]).finish(["a", "b"]).commit().begin(["c", "d"]);
  assert.deepEqual(taken(of, story), ["a > c always", "b > d conditional"]);
});

test("a join takes the edges of all that it waited for", () => {
  const of = drawing("__start__ > a", "__start__ > b", "b > c", "a > j join", "c > j join", "d > j join");
  const story = new Story().run("r").input().begin(["a", "b"]).finish(["a", "b"]).commit();
  story.begin(["c"]).finish(["c"]).commit().begin(["j"]);
  assert.deepEqual(taken(of, story).slice(-2), ["a > j join", "c > j join"]);
});

test("a subgraph has a start and an end of its own in every call", () => {
  const of = drawing("p > child", "child:__start__ > child:u", "child:u > child:__end__", "child > w");
  const namespace = ["child:child/1"];
  const story = new Story().run("r").input().begin(["p"]).finish(["p"]).commit().begin(["child/1"]);
  story.call(namespace, "started").input(namespace).begin(["u/1"], { namespace });
  assert.deepEqual(taken(of, story), ["p > child always", "child:__start__ > child:u always"]);
  story.finish(["u/1"], namespace).commit("loop", namespace).call(namespace, "completed");
  story.finish(["child/1"]).commit().begin(["w"]);
  assert.equal(taken(of, story).length, 4);
});

test("a fork goes on where it forked; what follows an update by hand is not explained", () => {
  const of = drawing("__start__ > a", "a > b", "b > c", "x > c");
  const story = new Story().run("r").input().begin(["a"]).finish(["a"]).commit();
  const forked = story.head();
  story.begin(["b"]).finish(["b"]).commit().run("r", "completed");
  story.run("s").commit("fork", [], forked).begin(["b/2"]);
  assert.deepEqual(taken(of, story, 1), ["a > b always"]);
  story.finish(["b/2"]).run("s", "interrupted").run("t").commit("update").begin(["c"]);
  assert.deepEqual(taken(of, story, 2), []);
});

test("what failed led nowhere", () => {
  const story = new Story().run("r").input().begin(["a"]).finish(["a"], [], "boom").run("r", "failed");
  assert.deepEqual(taken(PIPELINE, story), ["__start__ > a always"]);
});
