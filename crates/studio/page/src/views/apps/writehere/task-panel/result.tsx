// What came of an action: a text, and the passages that it rests on.

import type { JSX } from "preact";
import { Markdown } from "../../../../parts/markdown.tsx";
import { counted, visible } from "../../../../parts/text.ts";
import { actionName } from "../cause.ts";
import type { Chosen } from "../chosen.ts";
import { CITATIONS } from "../citations.tsx";
import type { Result } from "../node.ts";
import type { Writing } from "../state.ts";
import { Part } from "./part.tsx";

const RESULTS: Record<string, string> = { execute: "Result", final_aggregate: "Put together" };

export interface ResultPartProps {
  result: Result;
  writing: Writing;
  chosen: Chosen;
}

export function ResultPart({ result, writing, chosen }: ResultPartProps): JSX.Element | null {
  const { action, text, evidence, time, notes } = result;
  if (text === "" && evidence.length === 0 && notes.length === 0) return null;
  return (
    <Part title={RESULTS[action] ?? actionName(action)}>
      {time !== undefined && <p class="quiet">{visible(time)}</p>}
      {text !== "" && <Markdown text={text} own={CITATIONS} />}
      {notes.length > 0 && (
        <ul class="notice wh-notes">
          {notes.map((note, at) => (
            <li key={at}>{visible(note)}</li>
          ))}
        </ul>
      )}
      {evidence.length > 0 && (
        <details>
          <summary>It rests on {counted(evidence.length, "passage")}</summary>
          <ul class="wh-plain">
            {evidence.map((id) => {
              const found = writing.evidence.get(id);
              return (
                <li key={id}>
                  <button type="button" class="plain wh-link" onClick={() => chosen.openSource(id)}>
                    {visible(found?.title ?? id)}
                  </button>{" "}
                  {found !== undefined && (
                    <span class="quiet">{visible([found.source, found.place].filter(Boolean).join(", "))}</span>
                  )}
                </li>
              );
            })}
          </ul>
        </details>
      )}
    </Part>
  );
}
