// Where a plane is seen from: how far it is moved, and how much it is enlarged.

export interface Size {
  width: number;
  height: number;
}

/** A rectangle of the plane. */
export interface Box extends Size {
  x: number;
  y: number;
}

/** A point `p` of the plane is seen at `p * k + (x, y)` of the window. */
export interface Sight {
  x: number;
  y: number;
  k: number;
}

export const SMALLEST = 0.02;
export const LARGEST = 4;

function within(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Enlarges by a factor; the point of the window at `x`, `y` shows what it showed. */
export function zoomed(sight: Sight, factor: number, x: number, y: number): Sight {
  const k = within(sight.k * factor, SMALLEST, LARGEST);
  const ratio = k / sight.k;
  return { x: x - (x - sight.x) * ratio, y: y - (y - sight.y) * ratio, k };
}

/** Shows all of a box in the middle of the window, no larger than `largest`. */
export function fitted(box: Box, window: Size, margin = 16, largest = 1): Sight {
  const across = (window.width - 2 * margin) / Math.max(box.width, 1);
  const down = (window.height - 2 * margin) / Math.max(box.height, 1);
  const k = within(Math.min(across, down), SMALLEST, largest);
  return {
    x: (window.width - box.width * k) / 2 - box.x * k,
    y: (window.height - box.height * k) / 2 - box.y * k,
    k,
  };
}

/** Moves as little as is needed for a box to be seen, and makes it smaller where it is larger than the window. */
export function brought(box: Box, sight: Sight, window: Size, margin = 24): Sight {
  const room = { width: window.width - 2 * margin, height: window.height - 2 * margin };
  const isLarger = box.width * sight.k > room.width || box.height * sight.k > room.height;
  if (isLarger) return fitted(box, window, margin, sight.k);
  const moved = (at: number, from: number, length: number, whole: number) =>
    within(at, margin - from * sight.k, whole - margin - (from + length) * sight.k);
  return {
    x: moved(sight.x, box.x, box.width, window.width),
    y: moved(sight.y, box.y, box.height, window.height),
    k: sight.k,
  };
}

/** Moves a sight back so that something of the plane stays in the window. */
export function held(sight: Sight, plane: Size, window: Size, least = 40): Sight {
  return {
    x: within(sight.x, least - plane.width * sight.k, window.width - least),
    y: within(sight.y, least - plane.height * sight.k, window.height - least),
    k: sight.k,
  };
}

/** The box around boxes; `undefined` around none. */
export function around(boxes: readonly Box[]): Box | undefined {
  if (boxes.length === 0) return undefined;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
