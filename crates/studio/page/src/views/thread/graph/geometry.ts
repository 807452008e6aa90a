// Shapes of edges along the points that the server gives, and the node that lies next to another.

import type { DrawnNode } from "./drawing.ts";

export type Point = readonly [x: number, y: number];

/** The length of an arrow head. */
export const HEAD = 9;

function towards([x, y]: Point, [toX, toY]: Point, length: number): Point {
  const distance = Math.hypot(toX - x, toY - y);
  const part = distance === 0 ? 0 : Math.min(length / distance, 1);
  return [x + (toX - x) * part, y + (toY - y) * part];
}

function text([x, y]: Point): string {
  return `${Math.round(x * 10) / 10},${Math.round(y * 10) / 10}`;
}

/** The path along points, with round corners; it ends within the arrow head. */
export function pathOf(points: readonly Point[], radius = 8): string {
  const along = points.filter((point, at) => at === 0 || text(point) !== text(points[at - 1] as Point));
  const [first, ...rest] = along;
  if (first === undefined) return "";
  let path = `M${text(first)}`;
  rest.forEach((point, at) => {
    const before = along[at] as Point;
    const after = rest[at + 1];
    if (after === undefined) {
      path += `L${text(towards(point, before, HEAD / 2))}`;
      return;
    }
    const room = Math.min(radius, Math.hypot(point[0] - before[0], point[1] - before[1]) / 2);
    const leave = Math.min(radius, Math.hypot(point[0] - after[0], point[1] - after[1]) / 2);
    path += `L${text(towards(point, before, room))}Q${text(point)} ${text(towards(point, after, leave))}`;
  });
  return path;
}

/** The arrow head at the end of points. */
export function headOf(points: readonly Point[]): string {
  const tip = points.at(-1);
  const before = points.findLast((point) => tip !== undefined && text(point) !== text(tip));
  if (tip === undefined || before === undefined) return "";
  const [x, y] = towards(tip, before, HEAD);
  const across: Point = [((tip[1] - y) * 4) / HEAD, ((x - tip[0]) * 4) / HEAD];
  return `M${text(tip)}L${text([x + across[0], y + across[1]])}L${text([x - across[0], y - across[1]])}Z`;
}

/** The point in the middle of the way along points. */
export function middleOf(points: readonly Point[]): Point {
  const lengths = points.slice(1).map((point, at) => {
    const [x, y] = points[at] as Point;
    return Math.hypot(point[0] - x, point[1] - y);
  });
  let rest = lengths.reduce((sum, length) => sum + length, 0) / 2;
  for (const [at, length] of lengths.entries()) {
    if (rest <= length) return towards(points[at] as Point, points[at + 1] as Point, rest);
    rest -= length;
  }
  return points[0] ?? [0, 0];
}

export type Direction = "left" | "right" | "up" | "down";

/** The nearest node in a direction; what lies straight there is nearer than what lies aside. */
export function nextIn(direction: Direction, from: DrawnNode, nodes: readonly DrawnNode[]): DrawnNode | undefined {
  const middle = (node: DrawnNode): Point => [node.x + node.width / 2, node.y + Math.min(node.height, 48) / 2];
  const [x, y] = middle(from);
  let best: DrawnNode | undefined;
  let least = Infinity;
  for (const node of nodes) {
    if (node.id === from.id) continue;
    const [toX, toY] = middle(node);
    const flat = direction === "left" || direction === "right";
    const sense = direction === "right" || direction === "down" ? 1 : -1;
    const ahead = sense * (flat ? toX - x : toY - y);
    const aside = Math.abs(flat ? toY - y : toX - x);
    const distance = ahead + 2 * aside;
    if (ahead > 1 && distance < least) [best, least] = [node, distance];
  }
  return best;
}

/** The nodes as they are read: from the top, and those inside an open subgraph after it. */
export function inReadingOrder(nodes: readonly DrawnNode[]): DrawnNode[] {
  const inside = new Map<string | null, DrawnNode[]>();
  const ids = new Set(nodes.map((node) => node.id));
  for (const node of nodes) {
    const parent = node.parent != null && ids.has(node.parent) ? node.parent : null;
    const list = inside.get(parent);
    if (list === undefined) inside.set(parent, [node]);
    else list.push(node);
  }
  const read = (parent: string | null): DrawnNode[] =>
    (inside.get(parent) ?? [])
      .sort((a, b) => a.y - b.y || a.x - b.x)
      .flatMap((node) => [node, ...read(node.id)]);
  return read(null);
}
