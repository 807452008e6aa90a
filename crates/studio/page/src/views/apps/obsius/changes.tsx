// The changes of a work, as they stand or were written: the difference of each note.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Diff, inFigures } from "../../../parts/diff.tsx";
import { difference } from "../../../parts/diff.ts";
import { LongText } from "../../../parts/long-text.tsx";
import { visible } from "../../../parts/text.ts";
import type { Change } from "./work.ts";

export function Changes({
  changes,
  applied,
}: {
  changes: readonly Change[];
  applied: string[] | undefined;
}): JSX.Element {
  return (
    <ul class="changes">
      {changes.map((change) => (
        <li key={change.path}>
          <details open={changes.length < 4}>
            <summary>
              <strong>{visible(change.path)}</strong> <span class="quiet">{kindOf(change)}</span>{" "}
              {applied?.includes(change.path) === true && <span class="badge is-done">written</span>}
            </summary>
            <NoteChange change={change} />
          </details>
        </li>
      ))}
    </ul>
  );
}

function kindOf({ before, after, movedFrom }: Change): string {
  if (movedFrom !== "") return `moved from ${visible(movedFrom)}`;
  if (after === null) return "deleted";
  return before === null ? "new" : "changed";
}

function NoteChange({ change }: { change: Change }): JSX.Element {
  const { before, after } = change;
  const made = useMemo(() => {
    return before === undefined || before === null || after === null ? undefined : difference(before, after);
  }, [before, after]);
  if (made !== undefined) {
    return (
      <>
        <p class="quiet">{inFigures(made)}</p>
        <Diff change={made} />
      </>
    );
  }
  if (after === null) return <p class="quiet">The note is taken away.</p>;
  return <LongText text={after} />;
}
