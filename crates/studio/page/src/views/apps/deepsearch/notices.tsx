// What went wrong, and what a reader should know of how the report came about.

import type { JSX } from "preact";
import { counted, visible } from "../../../parts/text.ts";
import type { Notice } from "./research.ts";

export function Notices({
  notices,
  notes,
}: {
  notices: readonly Notice[];
  notes: readonly string[];
}): JSX.Element | null {
  if (notices.length === 0 && notes.length === 0) return null;
  const fatal = notices.filter((notice) => notice.severity === "fatal");
  const others = notices.filter((notice) => notice.severity !== "fatal");
  const counts = [
    ...(others.length > 0 ? [counted(others.length, "notice")] : []),
    ...(notes.length > 0 ? [counted(notes.length, "note")] : []),
  ];
  return (
    <>
      {fatal.map((notice, at) => (
        <p key={at} class="problem">
          <Words of={notice} />
        </p>
      ))}
      {counts.length > 0 && (
        <details class={others.length > 0 ? "notice" : "research-notes"}>
          <summary>{counts.join(", ")}</summary>
          <ul>
            {others.map((notice, at) => (
              <li key={`notice ${at}`}>
                <Words of={notice} />
              </li>
            ))}
            {notes.map((note, at) => (
              <li key={`note ${at}`} class="quiet">
                {visible(note)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Words({ of }: { of: Notice }): JSX.Element {
  return (
    <>
      {of.section !== "" && <>Section {visible(of.section)}: </>}
      {visible(of.message)} {of.code !== "" && <code class="quiet">{visible(of.code)}</code>}
    </>
  );
}
