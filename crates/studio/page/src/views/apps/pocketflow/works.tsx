// Works that were found: title, authors, year and where to read them, with what was read in each.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { LongText } from "../../../parts/long-text.tsx";
import { count, counted, visible } from "../../../parts/text.ts";
import type { Found } from "./session.ts";
import { byline, type Work } from "./work.ts";

/** Works that are shown first. */
const FIRST = 10;

export function Works({ found }: { found: readonly Found[] }): JSX.Element {
  const [shown, show] = useState(FIRST);
  return (
    <>
      <ol class="pf-works">
        {found.slice(0, shown).map(({ work, claim, limits }, at) => (
          <li key={at} id={`pf-work-${at + 1}`} tabIndex={-1}>
            <Reference work={work} />
            {claim !== "" && <p>{visible(claim)}</p>}
            {limits !== "" && <p class="quiet">Limits: {visible(limits)}</p>}
            {work.abstract !== "" && (
              <details>
                <summary class="quiet">
                  What was read of it, {counted(work.abstract.length, "character")}
                  {work.engines.length > 0 && `, from ${visible(work.engines.join(", "))}`}
                </summary>
                <LongText text={work.abstract} />
              </details>
            )}
          </li>
        ))}
      </ol>
      {shown < found.length && (
        <button type="button" onClick={() => show(found.length)}>
          Show all works ({count(found.length)})
        </button>
      )}
    </>
  );
}

/** A work in a line or two. */
export function Reference({ work }: { work: Work }): JSX.Element {
  const { title, year, venue, place, citedBy, isRetracted } = work;
  const facts = [
    byline(work),
    year === undefined ? "" : String(year),
    venue,
    citedBy === undefined || citedBy === 0 ? "" : `cited ${count(citedBy)} times`,
    place !== undefined && "words" in place ? place.words : "",
  ].filter((fact) => fact !== "");
  return (
    <span class="pf-work">
      {place !== undefined && "href" in place ? (
        <a href={place.href} title={place.href} rel="noopener noreferrer" target="_blank">
          {visible(title)}
        </a>
      ) : (
        <strong>{visible(title)}</strong>
      )}
      {isRetracted && <span class="badge is-failed">retracted</span>}
      {facts.length > 0 && <span class="quiet"> {visible(facts.join(" · "))}</span>}
    </span>
  );
}
