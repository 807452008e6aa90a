import assert from "node:assert/strict";
import { test } from "node:test";
import { Story } from "./story.ts";
import { noCounts, Tally } from "./tally.ts";

const counts = (some: Partial<ReturnType<typeof noCounts>>) => ({ ...noCounts(), ...some });

test("visits add up, and only the nodes of the new events change", () => {
  const story = new Story().run("r").input().begin(["a"]);
  const tally = new Tally();
  assert.deepEqual([...tally.update(story.model)], ["a"]);
  assert.equal(tally.of("a")?.status, "running");
  story.finish(["a"]).commit().begin(["b"]);
  assert.deepEqual([...tally.update(story.model)].sort(), ["a", "b"]);
  story.finish(["b"]).commit().begin(["a/2"]);
  tally.update(story.model);
  assert.equal(tally.of("a")?.visits, 2);
  assert.deepEqual(tally.of("a")?.counts, counts({ done: 1, running: 1 }));
  assert.deepEqual([...tally.update(story.model)], []);
  assert.deepEqual(tally.tasks("a").map((task) => task.id), ["a", "a/2"]);
  assert.equal(tally.of("c"), undefined);
});

test("a fan-out counts what runs, is done, failed; what goes on comes before how it ended", () => {
  const story = new Story().run("r").input().begin(["split"]).finish(["split"]).commit();
  story.begin(["w/1", "w/2", "w/3", "w/4"], { sent: true }).finish(["w/1"]).finish(["w/2"], [], "boom").ask("w/3");
  const tally = new Tally();
  tally.update(story.model);
  const worker = tally.of("w");
  assert.deepEqual(worker?.counts, counts({ done: 1, failed: 1, asking: 1, running: 1 }));
  assert.deepEqual([worker?.sent, worker?.status], [4, "running"]);
  tally.update(story.finish(["w/4"]).model);
  assert.equal(tally.of("w")?.status, "asking");
});

test("the newest super-step says how a node ended", () => {
  const story = new Story().run("r").input().begin(["a"]).finish(["a"], [], "boom").run("r", "failed");
  const tally = new Tally();
  tally.update(story.model);
  assert.equal(tally.of("a")?.status, "failed");
  tally.update(story.run("s").input().begin(["a/2"]).finish(["a/2"]).model);
  assert.equal(tally.of("a")?.status, "done");
  assert.deepEqual(tally.of("a")?.counts, counts({ done: 1, failed: 1 }));
});

test("a failed task that begins again in a later run is counted once", () => {
  const story = new Story().run("r").input().begin(["a"]).finish(["a"], [], "boom").run("r", "failed");
  const tally = new Tally();
  tally.update(story.model);
  tally.update(story.run("s").begin(["a"]).finish(["a"]).model);
  assert.deepEqual(tally.of("a")?.counts, counts({ done: 1 }));
});

test("a run has what was under way in it, as it stood then", () => {
  const story = new Story().run("r").input().begin(["a"]).finish(["a"]).commit().begin(["b"]).ask("b");
  story.run("r", "interrupted").run("s").begin(["b"]).finish(["b"]).commit().begin(["c"]);
  const of = (run: number) => {
    const tally = new Tally(run);
    tally.update(story.model);
    return ["a", "b", "c"].map((id) => tally.of(id)?.status);
  };
  assert.deepEqual(of(0), ["done", "asking", undefined]);
  assert.deepEqual(of(1), [undefined, "done", "running"]);
});

test("tasks in subgraphs count inside all nodes around them", () => {
  const story = new Story().run("r").input().begin(["child", "child/2"], { sent: true });
  for (const task of ["child", "child/2"]) {
    const namespace = [`child:${task}`];
    story.call(namespace, "started").input(namespace).begin([`in/${task}`], { namespace });
  }
  const tally = new Tally();
  assert.deepEqual([...tally.update(story.model)].sort(), ["child", "child:in"]);
  assert.deepEqual(tally.of("child")?.inside, counts({ running: 2 }));
  assert.deepEqual(tally.reached(), ["child", "child:in"]);
  // The call that failed is not the one that began last.
  story.finish(["in/child"], ["child:child"], "boom").finish(["in/child/2"], ["child:child/2"]);
  tally.update(story.model);
  assert.equal(tally.of("child:in")?.status, "failed");
});

test("another model begins anew", () => {
  const tally = new Tally();
  tally.update(new Story().run("r").input().begin(["a"]).model);
  const changed = tally.update(new Story().run("r").input().begin(["b"]).model);
  assert.deepEqual([...changed].sort(), ["a", "b"]);
  assert.equal(tally.of("a"), undefined);
});

test("of ten thousand tasks, each batch of events changes what is new in it", () => {
  const story = new Story().run("r").input();
  const ids = Array.from({ length: 10_000 }, (_, at) => `w/${at}`);
  story.begin(ids, { sent: true });
  const tally = new Tally();
  tally.update(story.model);
  for (let at = 0; at < 10_000; at += 100) {
    tally.update(story.finish(ids.slice(at, at + 100)).model);
    assert.deepEqual(tally.of("w")?.counts, counts({ done: at + 100, running: 9_900 - at }));
  }
});
