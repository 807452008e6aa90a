// What a journey has made so far: queries, literature, gap, proposal, and the documents to take away.

import type { ComponentChildren, JSX } from "preact";
import { counted, visible } from "../../../parts/text.ts";
import { type Document, Documents } from "../documents.tsx";
import { Literature } from "./literature.tsx";
import { ProposalText } from "./proposal.tsx";
import { QueryList } from "./query-review.tsx";
import type { Session } from "./session.ts";

export interface ResultsProps {
  thread: string;
  session: Session;
  /** Whether what is under review is shown beside this. */
  isReviewed: boolean;
  documents: readonly Document[];
}

export function Results({ thread, session, isReviewed, documents }: ResultsProps): JSX.Element {
  const { queries, review, gap, proposal, approved, waiting, earlier } = session;
  const state = (made: { version: number }, version: number | undefined) =>
    `version ${made.version}${made.version === version ? ", approved" : ""}`;
  return (
    <div class="pf-results">
      {queries !== undefined && !(isReviewed && waiting.for === "queries") && (
        <Part name="Queries" words={state(queries, approved.queries)}>
          <QueryList queries={queries.value} />
        </Part>
      )}
      {review !== undefined && (
        <Part name="Literature" words={counted(review.value.found.length, "work")}>
          <Literature review={review.value} />
        </Part>
      )}
      {gap !== undefined && (
        <Part name="Gap" words="" isOpen>
          <p>{visible(gap.value.gap)}</p>
          {gap.value.why !== "" && <p>{visible(gap.value.why)}</p>}
          {gap.value.summary !== "" && <p class="quiet">Known: {visible(gap.value.summary)}</p>}
          <Evidence session={session} ids={gap.value.evidence} />
          <Notes notes={gap.value.notes} />
        </Part>
      )}
      {proposal !== undefined && !(isReviewed && waiting.for === "report") && (
        <Part name="Proposal" words={state(proposal, approved.proposal)}>
          <ProposalText proposal={proposal.value} />
        </Part>
      )}
      {documents.length > 0 && (
        <Part name="Exports" words={counted(documents.length, "document")} isOpen>
          <Documents thread={thread} documents={documents} />
        </Part>
      )}
      {earlier.length > 0 && (
        <Part name="Earlier journeys" words={String(earlier.length)}>
          <ol>
            {earlier.map((topic, at) => (
              <li key={at}>{topic === "" ? "without a topic" : visible(topic)}</li>
            ))}
          </ol>
        </Part>
      )}
    </div>
  );
}

interface PartProps {
  name: string;
  words: string;
  isOpen?: boolean;
  children: ComponentChildren;
}

function Part({ name, words, isOpen = false, children }: PartProps): JSX.Element {
  return (
    <details class="pf-part" open={isOpen}>
      <summary>
        <strong>{name}</strong> <span class="quiet">{words}</span>
      </summary>
      <div class="pf-part-body">{children}</div>
    </details>
  );
}

/** The works that show the gap, as the review numbers them. */
function Evidence({ session, ids }: { session: Session; ids: readonly string[] }): JSX.Element | null {
  const found = session.review?.value.found ?? [];
  const works = ids.flatMap((id) => {
    const at = found.findIndex(({ work }) => work.id === id);
    return at < 0 ? [] : [`${at + 1}. ${visible(found[at]?.work.title ?? "")}`];
  });
  return works.length === 0 ? null : <p class="quiet">Shown by {works.join(", ")}</p>;
}

function Notes({ notes }: { notes: readonly string[] }): JSX.Element | null {
  if (notes.length === 0) return null;
  return (
    <ul class="pf-notes quiet" aria-label="Notes">
      {notes.map((note, at) => (
        <li key={at}>{visible(note)}</li>
      ))}
    </ul>
  );
}
