// Beside the report: a citation with its passage and its verdict, a conclusion with its reasons, a source with all that
// rests on it.

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { harmless } from "../../../parts/markdown-tree.ts";
import { visible } from "../../../parts/text.ts";
import { Opener } from "./opener.tsx";
import type { Provenance } from "./provenance.ts";
import { drawingOf, inferenceOf, passageOf } from "./report.ts";
import type { Citation, Conclusion, Research, Uncited } from "./research.ts";
import { close, opened } from "./source.ts";
import { BASES, SIGNS, VERDICTS } from "./verdicts.ts";

export function SourcePanel({
  research,
  provenance,
}: {
  research: Research;
  provenance: Provenance;
}): JSX.Element | null {
  const key = opened();
  const title = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  useEffect(() => {
    // Whoever comes by a link begins at the top of the page.
    if (!first.current && key !== undefined) title.current?.focus({ preventScroll: true });
    first.current = false;
  }, [key]);
  const shown = key === undefined ? undefined : contentOf(key, research, provenance);
  if (shown === undefined) return null;
  return (
    <aside
      class="card source-panel"
      aria-labelledby="source-title"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
    >
      <header class="row apart">
        <h3 id="source-title" ref={title} tabIndex={-1}>
          {shown.title}
        </h3>
        <button type="button" class="plain" aria-label="Close" title="Close (Esc)" onClick={close}>
          ✕
        </button>
      </header>
      {shown.body}
    </aside>
  );
}

interface Content {
  title: string;
  body: JSX.Element;
}

function contentOf(key: string, { result }: Research, provenance: Provenance): Content | undefined {
  const number = Number(key.slice(1));
  switch (key[0]) {
    case "c": {
      const citation = result.citations.find((one) => one.id === number);
      if (citation === undefined) return undefined;
      return { title: `Source ${citation.reference}`, body: <CitationBody citation={citation} /> };
    }
    case "i": {
      const conclusion = result.conclusions.find((one) => one.id === number);
      return conclusion && { title: "Conclusion", body: <ConclusionBody {...{ conclusion, provenance }} /> };
    }
    case "s": {
      const statement = result.uncited[number];
      return (
        statement && { title: "Statement without a citation", body: <UncitedBody {...{ statement, provenance }} /> }
      );
    }
    case "t": {
      const cited = provenance.cited.find((one) => one.key === key);
      if (cited === undefined) return undefined;
      const body = (
        <>
          <blockquote class="statement">{visible(cited.text)}</blockquote>
          {cited.conclusion !== undefined && (
            <p>
              <Opener of={`i${cited.conclusion.id}`}>What this conclusion rests on</Opener>
            </p>
          )}
          {cited.citations.map((citation) => (
            <CitationBody key={citation.id} citation={citation} isWithin />
          ))}
        </>
      );
      return { title: cited.conclusion === undefined ? "Cited statement" : "Conclusion", body };
    }
    case "r": {
      const source = provenance.sources.find((one) => one.reference === number);
      if (source === undefined) return undefined;
      const body = (
        <>
          <SourceName citation={source} />
          {source.citations.map((citation) => (
            <CitationBody key={citation.id} citation={citation} isNamed />
          ))}
        </>
      );
      return { title: `Source ${source.reference}`, body };
    }
  }
  return undefined;
}

interface CitationProps {
  citation: Citation;
  /** Whether its statement is shown already. */
  isWithin?: boolean;
  /** Whether its source is shown already. */
  isNamed?: boolean;
}

function CitationBody({ citation, isWithin = false, isNamed = false }: CitationProps): JSX.Element {
  const passage = passageOf(citation.content);
  const { verdict } = citation;
  return (
    <div class="citation">
      {!isNamed && <SourceName citation={citation} />}
      {!isWithin && <blockquote class="statement">{visible(citation.statement)}</blockquote>}
      <p class={`verdict is-${verdict}`}>
        <span aria-hidden="true">{SIGNS[verdict]}</span> {VERDICTS[verdict]}
      </p>
      <blockquote class="passage" tabIndex={0} aria-label="The passage of the source">
        {visible(passage.before)}
        <mark class={`is-${verdict}`}>{visible(passage.marked)}</mark>
        {visible(passage.after)}
      </blockquote>
    </div>
  );
}

function SourceName({ citation }: { citation: { title: string; url: string; published?: string } }): JSX.Element {
  const href = harmless(citation.url);
  const name = visible(citation.title || citation.url);
  return (
    <p class="source-name">
      <strong>
        {href === undefined ? (
          name
        ) : (
          <a href={href} rel="noopener noreferrer" target="_blank">
            {name}
          </a>
        )}
      </strong>
      <br />
      <span class="quiet">
        {visible(citation.url)}
        {citation.published !== undefined && citation.published !== "" && <> · {visible(citation.published)}</>}
      </span>
    </p>
  );
}

function ConclusionBody({ conclusion, provenance }: { conclusion: Conclusion; provenance: Provenance }): JSX.Element {
  const drawing = drawingOf(conclusion.page);
  return (
    <>
      <blockquote class="statement">{visible(conclusion.text)}</blockquote>
      {inferenceOf(conclusion.inference).map((line, at) => (
        <p key={at}>
          {line.map((part, number) =>
            typeof part === "string" ? visible(part) : <Reference key={number} number={part} provenance={provenance} />,
          )}
        </p>
      ))}
      {drawing !== undefined && (
        <figure class="reasons">
          <div class="scrolls" tabIndex={0} role="group" aria-label="Drawing of the reasons">
            <img src={drawing} alt={`The reasons of: ${visible(conclusion.text)}. They stand above in words.`} />
          </div>
          <figcaption class="quiet">
            Blue: cited records. Grey: statements. Yellow: the conclusion. Dashed: speaks against it.
          </figcaption>
        </figure>
      )}
    </>
  );
}

function Reference({ number, provenance }: { number: number; provenance: Provenance }): JSX.Element {
  const source = provenance.sources.find((one) => one.reference === number);
  if (source === undefined) return <>[{number}]</>;
  return (
    <Opener of={source.key} title={visible(source.title)}>
      [{number}]
    </Opener>
  );
}

function UncitedBody({ statement, provenance }: { statement: Uncited; provenance: Provenance }): JSX.Element {
  const on = provenance.cited.filter(({ citations }) => citations.some((one) => statement.citations.includes(one.id)));
  return (
    <>
      <blockquote class="statement">{visible(statement.text)}</blockquote>
      <p>{BASES[statement.basis]}</p>
      {on.length > 0 && (
        <ul>
          {on.map((cited) => (
            <li key={cited.key}>
              <Opener of={cited.key}>{visible(cited.text)}</Opener>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
