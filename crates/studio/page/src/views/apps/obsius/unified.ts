// A difference in the unified form, as a review shows it: for each note a line that says what happens to it, lines that
// say what the change means, and hunks.

export interface DiffLine {
  sign: "same" | "added" | "removed";
  text: string;
}

export interface Hunk {
  /** The places, as the difference has them: `@@ -1,2 +1,3 @@`. */
  place: string;
  lines: DiffLine[];
}

export interface NoteDiff {
  title: string;
  /** Changed keys and links in words. */
  meanings: string[];
  hunks: Hunk[];
}

const PLACE = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const SIGNS: Record<string, DiffLine["sign"]> = { " ": "same", "+": "added", "-": "removed" };

/** Reads a difference. How long a hunk is says its first line, so that no line of a note passes for anything else. */
export function notesOf(diff: string): NoteDiff[] {
  const notes: NoteDiff[] = [];
  let old = 0;
  let now = 0;
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const note = notes.at(-1);
    const hunk = note?.hunks.at(-1);
    const sign = SIGNS[line[0] ?? ""];
    if (hunk !== undefined && sign !== undefined && (old > 0 || now > 0)) {
      hunk.lines.push({ sign, text: line.slice(1) });
      if (sign !== "added") old -= 1;
      if (sign !== "removed") now -= 1;
      continue;
    }
    const place = PLACE.exec(line);
    // A note that ends without a line feed is told by a line of its own.
    if (line.startsWith("\\") || line === "") continue;
    if (place !== null && note !== undefined) {
      note.hunks.push({ place: line, lines: [] });
      old = Number(place[1] ?? 1);
      now = Number(place[2] ?? 1);
    } else if (line.startsWith("  ") && note !== undefined) {
      note.meanings.push(line.trim());
    } else {
      notes.push({ title: line, meanings: [], hunks: [] });
    }
  }
  return notes;
}

/** How many lines come and go. */
export function countsOf(notes: readonly NoteDiff[]): { added: number; removed: number } {
  const lines = notes.flatMap((note) => note.hunks).flatMap((hunk) => hunk.lines);
  const count = (sign: DiffLine["sign"]) => lines.filter((line) => line.sign === sign).length;
  return { added: count("added"), removed: count("removed") };
}
