// A difference of notes, line by line.

import type { JSX } from "preact";
import { DiffLine } from "../../../parts/diff.tsx";
import { visible } from "../../../parts/text.ts";
import type { NoteDiff } from "./unified.ts";

/** Lines of a hunk that are shown: what is longer is read where the note is. */
const MOST = 400;

export function UnifiedView({ note }: { note: NoteDiff }): JSX.Element {
  return (
    <div class="unified">
      {note.meanings.length > 0 && (
        <ul class="unified-meanings" aria-label="What it means">
          {note.meanings.map((meaning, at) => (
            <li key={at}>{visible(meaning)}</li>
          ))}
        </ul>
      )}
      {note.hunks.map((hunk, at) => (
        <div
          key={at}
          class="diff unified-hunk"
          role="group"
          aria-label={`Lines ${hunk.place.replaceAll("@", "").trim()}`}
        >
          <div class="unified-place" aria-hidden="true">
            {hunk.place}
          </div>
          {hunk.lines.slice(0, MOST).map((line, number) => (
            <DiffLine key={number} sign={line.sign}>
              <span class="unified-text">{visible(line.text) || " "}</span>
            </DiffLine>
          ))}
          {hunk.lines.length > MOST && <p class="quiet">{hunk.lines.length - MOST} more lines</p>}
        </div>
      ))}
      {note.hunks.length === 0 && <p class="quiet">Its text stays as it is.</p>}
    </div>
  );
}
