// What a question says, as a person reads it.

import type { JSX } from "preact";
import type { Json } from "../../../api/types.ts";
import { JsonTree } from "../../../parts/json.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { visible } from "../../../parts/text.ts";
import { read } from "./read.ts";

export function QuestionValue({ value }: { value: Json }): JSX.Element {
  const { asks, texts, rest, whole } = read(value);
  return (
    <div class="question-value">
      {asks.map((text, index) => (
        <div key={index} class="question-asks">
          <Markdown text={text} />
        </div>
      ))}
      {texts.map(([name, text]) => (
        <section key={name} class="question-text" aria-label={name}>
          <h3>{visible(name)}</h3>
          <Markdown text={text} />
        </section>
      ))}
      {whole !== undefined && <JsonTree value={whole} label="Question" />}
      {rest.length > 0 && (
        <dl class="question-rest">
          {rest.map(([name, field]) => (
            <div key={name}>
              <dt>{visible(name)}</dt>
              <dd>
                {typeof field === "object" && field !== null ? (
                  <JsonTree value={field} label={name} />
                ) : (
                  visible(String(field))
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
