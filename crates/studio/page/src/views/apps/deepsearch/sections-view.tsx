// The sections of the report while they are researched and written.

import type { JSX } from "preact";
import { Badge } from "../../../parts/basics.tsx";
import { harmless } from "../../../parts/markdown-tree.ts";
import { Markdown } from "../../../parts/markdown.tsx";
import { counted, short, visible } from "../../../parts/text.ts";
import type { Document } from "./research.ts";
import { type SectionWork, type Step, WORK, type Work } from "./sections.ts";

const NAMES: Record<Work, string> = { plan: "Plan", search: "Search", write: "Write", cite: "Cite" };

export function Sections({ works }: { works: readonly SectionWork[] }): JSX.Element {
  return (
    <ol class="sections">
      {works.map((work) => (
        <li key={work.section.id} class="card section-work">
          <SectionCard work={work} />
        </li>
      ))}
    </ol>
  );
}

function SectionCard({ work }: { work: SectionWork }): JSX.Element {
  const { section, status, steps, documents, text, isWritten } = work;
  return (
    <>
      <div class="row apart">
        <h3>
          {section.id}. {visible(section.title)}
        </h3>
        <Badge status={status} />
      </div>
      <p class="quiet section-about">
        {visible(section.description)}
        {section.parents.length > 0 && <> · builds on {section.parents.join(", ")}</>}
      </p>
      <ol class="section-path" aria-label="Work on the section">
        {WORK.map((kind) => (
          <li key={kind} class={work.now === kind ? "is-now" : work.did.has(kind) ? "is-past" : "is-ahead"}>
            <span aria-hidden="true">{work.now === kind ? "●" : work.did.has(kind) ? "✓" : "○"}</span> {NAMES[kind]}
            <span class="hidden">: {work.now === kind ? "now" : work.did.has(kind) ? "done" : "not yet"}</span>
          </li>
        ))}
      </ol>
      {work.error !== undefined && <p class="problem">{visible(work.error)}</p>}
      {work.isQuoted && <p class="notice">No model wrote this section: quotations of its sources stand in.</p>}
      {steps.map((step) => (
        <StepPart key={step.id} step={step} documents={documents} />
      ))}
      {text !== "" &&
        (isWritten ? (
          <details>
            <summary>The text of the section</summary>
            <Markdown text={plain(text)} />
          </details>
        ) : (
          <div class="growing section-text" aria-live="off">
            {visible(text)}
          </div>
        ))}
      {documents.size > 0 && (
        <details>
          <summary>{counted(documents.size, "document")} found</summary>
          <ul class="section-documents">
            {[...documents.values()].map((document) => (
              <Found key={document.id} document={document} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function StepPart({ step, documents }: { step: Step; documents: ReadonlyMap<string, Document> }): JSX.Element {
  return (
    <div class="section-step">
      <p>
        <span class={`badge is-${step.status}`}>{visible(step.title)}</span>{" "}
        {step.description !== "" && <span class="quiet">{visible(short(step.description, 300))}</span>}
      </p>
      {step.searches.length > 0 && (
        <ul class="section-searches" aria-label="Searches">
          {step.searches.map(({ query, found }) => (
            <li key={query} title={found?.map((id) => documents.get(id)?.title ?? id).join("\n")}>
              <q>{visible(query)}</q>{" "}
              <span class="quiet">
                {found !== undefined
                  ? counted(found.length, "document")
                  : step.status === "running"
                    ? "is searched for"
                    : "was not searched for"}
              </span>
            </li>
          ))}
        </ul>
      )}
      {step.result !== "" && <p class="section-found">{visible(short(step.result, 240))}</p>}
    </div>
  );
}

function Found({ document }: { document: Document }): JSX.Element {
  const href = harmless(document.url);
  const name = visible(document.title || document.url);
  return (
    <li>
      {href === undefined ? (
        <strong>{name}</strong>
      ) : (
        <a href={href} rel="noopener noreferrer" target="_blank">
          {name}
        </a>
      )}{" "}
      <span class="quiet">{visible(document.url)}</span>
      <p>{visible(short(document.text, 240))}</p>
    </li>
  );
}

/** The text of a section without marks of programs; its citations are checked only in the report. */
function plain(text: string): string {
  return text
    .replace(/\[source_tracer_result\]\[([^\]\n]*)\]\([^)\n]*\)/g, " [$1]")
    .replace(/\(#insertChart:[A-Za-z0-9_-]+\)/g, "");
}
