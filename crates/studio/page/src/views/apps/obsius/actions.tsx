// The actions that were carried out, in their order, each with its arguments and what the tool answered.

import type { JSX } from "preact";
import { JsonTree } from "../../../parts/json.tsx";
import { LongText } from "../../../parts/long-text.tsx";
import { short, visible } from "../../../parts/text.ts";
import type { Action } from "./work.ts";

export function Actions({ actions }: { actions: readonly Action[] }): JSX.Element {
  return (
    <ol class="actions">
      {actions.map((action, at) => (
        <li key={at}>
          <details>
            <summary>
              <span class={`badge is-${action.isDone ? "done" : "failed"}`}>
                <code>{visible(action.tool)}</code>
                <span class="hidden">: {action.isDone ? "done" : "failed"}</span>
              </span>{" "}
              {visible(short(action.about, 120))}{" "}
              <span class="quiet">
                {action.iteration > 0 && `iteration ${action.iteration}`}
                {action.risk !== "" && action.risk !== "read" && ` · ${visible(action.risk)}`}
              </span>
            </summary>
            <JsonTree value={action.arguments} label={`Arguments of ${action.tool}`} />
            <LongText text={action.message} />
          </details>
        </li>
      ))}
    </ol>
  );
}
