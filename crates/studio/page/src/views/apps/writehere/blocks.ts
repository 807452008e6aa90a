// The parts of a text in blocks. What a new state did not change stays the same object, so that it is not drawn anew.

import type { Part } from "./document.ts";

/** Parts of a block. */
export const BLOCK = 20;

/** The parts in blocks; those of `before` where they say the same. */
export function blocksOf(parts: readonly Part[], before: readonly Part[][]): Part[][] {
  const blocks: Part[][] = [];
  for (let at = 0; at < parts.length; at += BLOCK) {
    const known = before[at / BLOCK] ?? [];
    const block = parts.slice(at, at + BLOCK);
    const isKnown = known.length === block.length && block.every((part, place) => isSame(part, known[place]));
    blocks.push(isKnown ? known : block);
  }
  return blocks;
}

function isSame(part: Part, other: Part | undefined): boolean {
  if (other === undefined) return false;
  return (Object.keys(part) as (keyof Part)[]).every((field) => part[field] === other[field]);
}
