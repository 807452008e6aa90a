// Frames are the same in whatever pieces a stream comes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { frames, type SseFrame } from "./sse.ts";

const TEXT =
  "event: tasks\r\ndata: {\"a\":\"ä\"}\r\nid: 7\r\n\r\n" +
  ": heartbeat\r\n\r\n" +
  "data: one\ndata: two\n\n" +
  "data:no blank\rdata:  two blanks\r\r" +
  "data\n\nevent: nothing\n\ndata: cut off";

const EXPECTED = [
  { event: "tasks", data: '{"a":"ä"}', id: "7" },
  { event: "message", data: "one\ntwo", id: "7" },
  { event: "message", data: "no blank\n two blanks", id: "7" },
  { event: "message", data: "", id: "7" },
];

function inPieces(size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(TEXT);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
      if (at >= bytes.length) controller.close();
    },
  });
}

test("frames are read in pieces of any size", async () => {
  for (const size of [1, 2, 3, 7, 10_000]) {
    const found: SseFrame[] = [];
    for await (const together of frames(inPieces(size))) found.push(...together);
    assert.deepEqual(found, EXPECTED, `in pieces of ${size} bytes`);
  }
});
