import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "../../../api/http.ts";
import { ApiError } from "../../../api/http.ts";
import { Checkpoints } from "./checkpoints.ts";

/** A server with a history, newest first. */
function server(ids: string[]): { api: Api; ids: string[]; asked: number[]; fails: boolean } {
  const state = {
    ids,
    asked: [] as number[],
    fails: false,
    api: {
      async post(_: string, body: { limit: number; before?: string }) {
        if (state.fails) throw new ApiError(0, "gone");
        state.asked.push(body.limit);
        const { before } = body;
        const found = state.ids.filter((id) => before === undefined || id < before).slice(0, body.limit);
        const rest = { parent_checkpoint_id: null, next: [], tasks: [], metadata: {}, created_at: "" };
        return found.map((id) => ({ checkpoint_id: id, ...rest }));
      },
    } as unknown as Api,
  };
  return state;
}

const id = (number: number) => String(number).padStart(6, "0");
const from = (newest: number) => Array.from({ length: newest }, (_, at) => id(newest - at));

test("pages are read until the first checkpoint", async () => {
  const there = server(from(1000));
  const checkpoints = new Checkpoints(there.api, "t", "");
  await checkpoints.refresh();
  assert.equal(checkpoints.list.value.length, 50);
  while (!checkpoints.isWhole.value) await checkpoints.more();
  assert.deepEqual(
    checkpoints.list.value.map((one) => one.id),
    from(1000),
  );
});

test("what is new comes first, however many there are", async () => {
  const there = server(from(200));
  const checkpoints = new Checkpoints(there.api, "t", "");
  await checkpoints.refresh();
  await checkpoints.more();
  there.ids = from(203);
  await checkpoints.refresh();
  assert.deepEqual(checkpoints.list.value.map((one) => one.id), from(203).slice(0, 103));
  there.ids = from(2000);
  await checkpoints.refresh();
  assert.deepEqual(checkpoints.list.value.map((one) => one.id).slice(0, 1800), from(2000).slice(0, 1800));
});

test("what was rolled back is no longer there", async () => {
  const there = server(from(100));
  const checkpoints = new Checkpoints(there.api, "t", "");
  await checkpoints.refresh();
  there.ids = from(95);
  await checkpoints.refresh();
  assert.equal(checkpoints.list.value[0]?.id, id(95));
  assert.equal(checkpoints.list.value.length, 45);
});

test("a lost server leaves what is known", async () => {
  const there = server(from(10));
  const checkpoints = new Checkpoints(there.api, "t", "");
  await checkpoints.refresh();
  there.fails = true;
  await checkpoints.refresh();
  assert.equal(checkpoints.problem.value, "gone");
  assert.equal(checkpoints.list.value.length, 10);
  there.fails = false;
  await checkpoints.refresh();
  assert.equal(checkpoints.problem.value, undefined);
  checkpoints.end();
});
