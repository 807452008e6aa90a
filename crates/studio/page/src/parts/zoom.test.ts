import assert from "node:assert/strict";
import { test } from "node:test";
import { around, brought, fitted, held, LARGEST, type Sight, zoomed } from "./zoom.ts";

const WINDOW = { width: 400, height: 300 };
const seen = (sight: Sight, x: number, y: number) => [x * sight.k + sight.x, y * sight.k + sight.y];

test("the point under the pointer stays where it is", () => {
  const before = { x: 30, y: -20, k: 0.8 };
  const after = zoomed(before, 1.5, 120, 90);
  const point = [(120 - before.x) / before.k, (90 - before.y) / before.k] as const;
  assert.deepEqual(seen(after, ...point).map(Math.round), [120, 90]);
  assert.equal(zoomed(before, 1000, 0, 0).k, LARGEST);
});

test("a large plane is made small, a small one is not made larger, both are in the middle", () => {
  const large = fitted({ x: 0, y: 0, width: 2000, height: 100 }, WINDOW, 0);
  assert.deepEqual(large, { x: 0, y: 140, k: 0.2 });
  assert.deepEqual(fitted({ x: 10, y: 10, width: 100, height: 100 }, WINDOW), { x: 140, y: 90, k: 1 });
});

test("a box is brought into the window by the shortest way", () => {
  const sight = { x: 0, y: 0, k: 1 };
  assert.deepEqual(brought({ x: 50, y: 50, width: 10, height: 10 }, sight, WINDOW), sight);
  assert.deepEqual(brought({ x: 500, y: 50, width: 10, height: 10 }, sight, WINDOW, 20), { x: -130, y: 0, k: 1 });
  const whole = brought({ x: 0, y: 0, width: 4000, height: 10 }, sight, WINDOW, 0);
  assert.equal(whole.k, 0.1);
});

test("the plane cannot be lost", () => {
  assert.equal(held({ x: -9000, y: 0, k: 1 }, { width: 100, height: 100 }, WINDOW).x, -60);
  assert.equal(held({ x: 9000, y: 0, k: 1 }, { width: 100, height: 100 }, WINDOW).x, 360);
});

test("a box around boxes", () => {
  const boxes = [
    { x: 0, y: 5, width: 10, height: 10 },
    { x: -5, y: 0, width: 10, height: 10 },
  ];
  assert.deepEqual(around(boxes), { x: -5, y: 0, width: 15, height: 15 });
  assert.equal(around([]), undefined);
});
