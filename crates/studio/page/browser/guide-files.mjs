// The files of the pictures of docs/studio.md.

import { fileURLToPath } from "node:url";
import { mayDiffer } from "./guide-pictures.mjs";
import { difference } from "./picture.mjs";

export const GUIDE = fileURLToPath(new URL("../../../../docs/studio.md", import.meta.url));
export const FOLDER = fileURLToPath(new URL("../../../../docs/studio/", import.meta.url));

/** How wide letters were on the machine that made them. */
export const LETTERS = `${FOLDER}letters`;

export const pathOf = (name) => `${FOLDER}${name}.webp`;

/** Whether two pictures of this name show the same. `part` is which part of what may differ does: see `NEARLY`. */
export async function isSame(page, name, one, other, part = 1) {
  const by = await difference(page, one, other);
  if (process.env.STUDIO_DIFFERENCES !== undefined) console.log(`${name}: ${(100 * by).toFixed(3)} % differ`);
  return by <= part * mayDiffer(name);
}

/**
 * The part within which a picture is left as it is when the pictures are made again. One that is just within what may differ
 * is made anew: by the next line that stands a pixel lower it would be said to be old.
 */
export const NEARLY = 0.5;
