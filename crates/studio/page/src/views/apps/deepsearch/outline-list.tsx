// An outline for reading.

import type { JSX } from "preact";
import { visible } from "../../../parts/text.ts";
import type { Outline } from "./research.ts";

export function OutlineList({ outline }: { outline: Outline }): JSX.Element {
  return (
    <div class="outline">
      <h3>{visible(outline.title)}</h3>
      <ol class="outline-rows">
        {outline.sections.map((section) => (
          <li key={section.id} class="outline-row">
            <span class="outline-number">{section.id}</span>
            <div>
              <strong>{visible(section.title)}</strong>
              {section.isCore && <span class="quiet"> · core</span>}
              {section.parents.length > 0 && <span class="quiet"> · builds on {section.parents.join(", ")}</span>}
              <p>{visible(section.description)}</p>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
