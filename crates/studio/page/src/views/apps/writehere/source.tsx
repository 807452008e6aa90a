// A source: what it is, and the passages of it that were found.

import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { harmless } from "../../../parts/markdown-tree.ts";
import { visible } from "../../../parts/text.ts";
import { SourcesContext } from "./citations.tsx";
import { Panel } from "./panel.tsx";
import type { Evidence } from "./sources.ts";
import type { Writing } from "./state.ts";

export interface SourcePanelProps {
  writing: Writing;
  /** The id of one of its passages. */
  id: string;
  onClose: () => void;
}

export function SourcePanel({ writing, id, onClose }: SourcePanelProps): JSX.Element {
  const reference = useContext(SourcesContext).byId.get(id);
  const cited = (reference?.evidence ?? [id]).flatMap((one) => writing.evidence.get(one) ?? []);
  // The passage that was asked for comes first.
  const passages = [...cited.filter((one) => one.id === id), ...cited.filter((one) => one.id !== id)];
  const [first] = passages;
  const name = reference === undefined ? "Source" : `Source ${reference.number}`;
  return (
    <Panel title={name} of={id} onClose={onClose}>
      {first === undefined ? (
        <p>
          This run has no evidence of the id <code>{visible(id)}</code>
          {reference !== undefined && `: ${visible([reference.title, ...reference.places].join("; "))}`}.
        </p>
      ) : (
        <>
          <p class="wh-title">{visible(reference?.title ?? first.title)}</p>
          <p>
            <Address of={first} />
          </p>
          {passages.map((passage) => (
            <Passage key={passage.id} of={passage} />
          ))}
        </>
      )}
    </Panel>
  );
}

function Address({ of: { source, url, copy } }: { of: Evidence }): JSX.Element {
  return (
    <>
      {url !== undefined && source !== url && `${visible(source)}, `}
      {url === undefined ? <span class="mono">{visible(source)}</span> : <Web url={url} />}
      {copy !== undefined && (
        <>
          , read at <Web url={copy} />
        </>
      )}
    </>
  );
}

/** An address of the web as a link, and any other as text. */
function Web({ url }: { url: string }): JSX.Element {
  const href = harmless(url);
  if (href === undefined || !/^https?:/.test(href)) return <span class="mono">{visible(url)}</span>;
  return (
    <a href={href} rel="noopener noreferrer" target="_blank">
      {visible(url)}
    </a>
  );
}

function Passage({ of: { heading, place, text } }: { of: Evidence }): JSX.Element {
  const above = heading.map(visible).join(" › ");
  return (
    <figure class="wh-passage">
      <blockquote>{visible(text)}</blockquote>
      <figcaption class="quiet">{[above, place].filter((part) => part !== "").join(", ")}</figcaption>
    </figure>
  );
}
