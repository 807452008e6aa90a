// The report: its text with citations that open their source, charts in their places, signs of what nothing supports.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Markdown, type OwnLinks } from "../../../parts/markdown.tsx";
import { counted } from "../../../parts/text.ts";
import { ChartPicture } from "./charts.tsx";
import { CitationMark, Opener, OpeningWords } from "./opener.tsx";
import { readable, SIGN, targetOf } from "./report.ts";
import type { Research, Result, Verdict } from "./research.ts";
import { BASES, SIGNS, VERDICTS } from "./verdicts.ts";

/** A report is shown whole up to about a quarter of a million characters. */
const PARTS = 30;

export function ReportView({ research }: { research: Research }): JSX.Element {
  const { result } = research;
  const text = useMemo(() => readable(result), [result]);
  const own = useMemo(() => linksOf(result), [result]);
  return (
    <>
      <Checked result={result} />
      <div class="report">
        <Markdown key={text.length} text={text} own={own} first={PARTS} />
      </div>
    </>
  );
}

function linksOf(result: Result): OwnLinks {
  const citations = new Map(result.citations.map((citation) => [citation.id, citation]));
  const conclusions = new Set(result.conclusions.map((conclusion) => conclusion.id));
  const charts = new Map(result.charts.map((chart) => [chart.id, chart]));
  return {
    has: (url) => targetOf(url) !== undefined,
    show: (url, inside) => {
      const target = targetOf(url);
      if (target?.is === "citation") {
        const citation = citations.get(target.id);
        return citation === undefined ? <></> : <CitationMark citation={citation} />;
      }
      if (target?.is === "conclusion" && conclusions.has(target.id)) {
        return (
          <OpeningWords of={`i${target.id}`} title="A conclusion: see what it rests on">
            {inside}
          </OpeningWords>
        );
      }
      if (target?.is === "uncited") {
        const basis = result.uncited[target.id]?.basis ?? "not_checked";
        return (
          <sup>
            <Opener
              of={`s${target.id}`}
              class={`sign is-${basis}`}
              label={`No citation: ${BASES[basis]}`}
              title={BASES[basis]}
            >
              {SIGN}
            </Opener>
          </sup>
        );
      }
      const chart = target?.is === "chart" ? charts.get(target.id) : undefined;
      return chart === undefined ? inside : <ChartPicture chart={chart} />;
    },
  };
}

/** What the check of the citations found, in figures. */
function Checked({ result }: { result: Result }): JSX.Element {
  const { citations, uncited, unchecked } = result;
  if (citations.length === 0) {
    return (
      <p class="quiet" role="status">
        {unchecked === "" ? "The citations have not been checked yet." : `The citations were not checked: ${unchecked}`}
      </p>
    );
  }
  const verdicts = Object.keys(VERDICTS) as Verdict[];
  const counts = verdicts.map(
    (verdict) => [verdict, citations.filter((one) => one.verdict === verdict).length] as const,
  );
  const bare = uncited.filter((statement) => statement.basis !== "derived").length;
  return (
    <p class="row report-figures">
      <span>{counted(citations.length, "citation")}:</span>
      {counts.map(([verdict, count]) =>
        count === 0 ? null : (
          <span key={verdict} class={`verdict is-${verdict}`}>
            <span aria-hidden="true">{SIGNS[verdict]}</span> {count} {VERDICTS[verdict]}
          </span>
        ),
      )}
      {bare > 0 && (
        <span class="quiet">
          {SIGN} {counted(bare, "statement")} for which only the writer speaks
        </span>
      )}
    </p>
  );
}
