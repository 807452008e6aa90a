// The queries under review. They are changed in their places; one press says all changes.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../parts/text.ts";
import { APPROVE, edits, several } from "./sentences.ts";
import type { Query } from "./session.ts";
import { Verdict } from "./verdict.tsx";

export interface QueryReviewProps {
  queries: readonly Query[];
  canChange: boolean;
  say: (text: string) => void;
}

export function QueryReview({ queries, canChange, say }: QueryReviewProps): JSX.Element {
  const before = queries.map(({ text }) => text);
  const [after, setAfter] = useState<(string | undefined)[]>(before);
  const [added, setAdded] = useState<string[]>([]);
  if (!canChange) return <QueryList queries={queries} />;
  const changes = edits(before, after, added);
  const spoken = several(changes);
  const change = (at: number, text: string | undefined) => setAfter(after.with(at, text));
  return (
    <>
      <ol class="pf-queries">
        {queries.map((query, at) => (
          <li key={at}>
            <div class="row">
              <input
                class="grow"
                aria-label={`Query ${at + 1}`}
                value={after[at] ?? ""}
                disabled={after[at] === undefined}
                placeholder={after[at] === undefined ? "removed" : ""}
                onInput={(event) => change(at, event.currentTarget.value)}
              />
              {after[at] === undefined ? (
                <button type="button" aria-label={`Keep query ${at + 1}`} onClick={() => change(at, query.text)}>
                  Keep
                </button>
              ) : (
                <button type="button" aria-label={`Remove query ${at + 1}`} onClick={() => change(at, undefined)}>
                  Remove
                </button>
              )}
            </div>
            <Why query={query} />
          </li>
        ))}
        {added.map((text, at) => (
          <li key={`added-${at}`}>
            <input
              aria-label={`Added query ${at + 1}`}
              value={text}
              onInput={(event) => setAdded(added.with(at, event.currentTarget.value))}
            />
          </li>
        ))}
      </ol>
      <p>
        <button type="button" onClick={() => setAdded([...added, ""])}>
          Add a query
        </button>
      </p>
      {"problem" in spoken && <p class="field-problem">{spoken.problem}</p>}
      <Verdict say={say}>
        {changes.length === 0 ? (
          <button type="button" class="primary" onClick={() => say(APPROVE)}>
            Approve and search
          </button>
        ) : (
          <>
            <button
              type="button"
              class="primary"
              disabled={"problem" in spoken}
              onClick={() => "say" in spoken && say(spoken.say)}
            >
              Change the queries
            </button>
            <button type="button" onClick={() => (setAfter(before), setAdded([]))}>
              Undo
            </button>
          </>
        )}
      </Verdict>
    </>
  );
}

/** The queries as they are. */
export function QueryList({ queries }: { queries: readonly Query[] }): JSX.Element {
  return (
    <ol class="pf-queries">
      {queries.map((query, at) => (
        <li key={at}>
          {visible(query.text)}
          <Why query={query} />
        </li>
      ))}
    </ol>
  );
}

function Why({ query: { rationale, aspect } }: { query: Query }): JSX.Element | null {
  const words = [aspect, rationale].filter((word) => word !== "").join(": ");
  return words === "" ? null : <span class="quiet pf-why">{visible(words)}</span>;
}
