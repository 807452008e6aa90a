// The searches with how each engine answered, the themes, and the works that were found.

import type { JSX } from "preact";
import { counted, visible } from "../../../parts/text.ts";
import type { Answered, Review } from "./session.ts";
import { Works } from "./works.tsx";

export function Literature({ review }: { review: Review }): JSX.Element {
  const { found, themes, answered, notes } = review;
  const queries = [...new Set(answered.map(({ query }) => query))];
  const numbers = new Map(found.map(({ work }, at) => [work.id, at + 1]));
  return (
    <>
      {queries.length > 0 && (
        <ul class="pf-searches" aria-label="Searches">
          {queries.map((query) => (
            <li key={query}>
              “{visible(query)}”{" "}
              {answered
                .filter((one) => one.query === query)
                .map((one, at) => (
                  <Answer key={at} answered={one} />
                ))}
            </li>
          ))}
        </ul>
      )}
      {themes.length > 0 && (
        <dl class="pf-themes">
          {themes.map(({ name, summary, records }, at) => (
            <div key={at}>
              <dt>{visible(name)}</dt>
              <dd>
                {visible(summary)} <span class="quiet">{numbered(records, numbers)}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Works found={found} />
      {notes.length > 0 && (
        <ul class="pf-notes quiet" aria-label="Notes on the search">
          {notes.map((note, at) => (
            <li key={at}>{visible(note)}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Answer({ answered: { engine, kind, pieces, fault, notes } }: { answered: Answered }): JSX.Element {
  const failed = kind === "failed";
  const words = kind === "found" ? counted(pieces, "record") : failed ? `no answer: ${fault}` : "nothing";
  return (
    <span class={failed ? "is-failed" : "quiet"} title={notes.map(visible).join("\n") || undefined}>
      {visible(engine)}: {visible(words)}{" "}
    </span>
  );
}

/** `[1] [4]`: the works that say so. */
function numbered(ids: readonly string[], numbers: ReadonlyMap<string, number>): string {
  return ids.flatMap((id) => (numbers.has(id) ? [`[${numbers.get(id)}]`] : [])).join(" ");
}
