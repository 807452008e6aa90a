// The answers that were given on a thread.

import type { JSX } from "preact";
import { Id, Time } from "../../../parts/basics.tsx";
import { JsonTree } from "../../../parts/json.tsx";
import { visible } from "../../../parts/text.ts";
import type { Given } from "./answers.ts";
import { headline } from "./read.ts";

/** Answers that are shown before all are asked for. */
const SHOWN = 20;

export function GivenAnswers({
  given,
  problem,
}: {
  given: readonly Given[];
  problem: string | undefined;
}): JSX.Element | null {
  if (given.length === 0 && problem === undefined) return null;
  return (
    <section class="given" aria-label="Answers that were given">
      <h2>Answers that were given</h2>
      {problem !== undefined && <p class="problem">{problem}</p>}
      <ol>
        {given.slice(0, SHOWN).map((one) => (
          <li key={`${one.run} ${one.id ?? ""}`}>
            <div class="row">
              <Time at={one.time} />
              {one.asked !== undefined && <span class="given-asked">{visible(headline(one.asked))}</span>}
              {one.asked === undefined && one.id !== undefined && (
                <span class="quiet">
                  question <Id of={one.id} />
                </span>
              )}
              {one.failed && <span class="badge is-failed">its run failed</span>}
            </div>
            {typeof one.answer === "object" && one.answer !== null ? (
              <JsonTree value={one.answer} label="Answer" />
            ) : (
              <p class="given-answer">{visible(String(one.answer))}</p>
            )}
          </li>
        ))}
      </ol>
      {given.length > SHOWN && <p class="quiet">And {given.length - SHOWN} before these.</p>}
    </section>
  );
}
