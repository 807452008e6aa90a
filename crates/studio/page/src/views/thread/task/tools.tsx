// The calls of tools that a task made.

import type { JSX } from "preact";
import type { Json } from "../../../api/types.ts";
import { Badge, duration, Problem } from "../../../parts/basics.tsx";
import { JsonTree } from "../../../parts/json.tsx";
import { LongText } from "../../../parts/long-text.tsx";
import { visible } from "../../../parts/text.ts";
import type { ToolRun } from "../../../run/model.ts";

export function Tools({ tools }: { tools: readonly ToolRun[] }): JSX.Element {
  return (
    <>
      {tools.map((tool) => (
        <details key={tool.id} class="tool" open={tools.length < 4}>
          <summary>
            <code>{visible(tool.name || "a tool")}</code> <Badge status={tool.status} />{" "}
            {tool.ended !== undefined && <span class="quiet">{duration(tool.ended - tool.began)}</span>}
          </summary>
          <JsonTree value={tool.input} label={`Input of ${tool.name}`} />
          {tool.deltas.length > 0 && tool.status === "running" && (
            <LongText text={tool.deltas.map(written).join("")} />
          )}
          {tool.error !== undefined && <Problem>{visible(tool.error)}</Problem>}
          {tool.status === "done" && <JsonTree value={tool.output} label={`Output of ${tool.name}`} />}
        </details>
      ))}
    </>
  );
}

/** A piece of the output as it is put out. */
function written(part: Json): string {
  return typeof part === "string" ? part : JSON.stringify(part);
}
