// The view of DeepSearch: where the research is, what it asks, its sections, its report and what that rests on.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Empty, Problem } from "../../../parts/basics.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { type Tab, Tabs } from "../../../parts/tabs.tsx";
import { visible } from "../../../parts/text.ts";
import { route } from "../../../route.ts";
import { Questions } from "../../thread/questions.tsx";
import { type AppProps } from "../index.ts";
import { useInnerState } from "../inner.ts";
import { Charts } from "./charts.tsx";
import { Notices } from "./notices.tsx";
import { OutlineList } from "./outline-list.tsx";
import { mainNode, stagesOf } from "./place.ts";
import { ProvenanceView } from "./provenance-view.tsx";
import { provenanceOf } from "./provenance.ts";
import { objectOf } from "../read.ts";
import { ReportView } from "./report-view.tsx";
import { researchOf } from "./research.ts";
import { Sections } from "./sections-view.tsx";
import { sectionsOf } from "./sections.ts";
import { SourcePanel } from "./source-panel.tsx";
import { Stages } from "./stages.tsx";

export function DeepSearchView({ thread, model, record, questions }: AppProps): JSX.Element {
  const loaded = useInnerState(thread, model, mainNode(model));
  const values = loaded.state?.values;
  const research = useMemo(() => researchOf(values ?? {}), [values]);
  const works = useMemo(
    () => sectionsOf(model, research.outline?.sections ?? [], values ?? {}),
    [model.version, research],
  );
  const provenance = useMemo(() => provenanceOf(research.result), [research]);
  if (values === undefined) {
    if (loaded.problem !== undefined) return <Problem>{loaded.problem}</Problem>;
    return <Empty>The research is being read …</Empty>;
  }
  const { result } = research;
  const isUnderWay = works.some((work) => work.status !== "waiting");
  const tabs: Tab[] = [
    ...(result.report === "" ? [] : [{ id: "report", name: "Report" }]),
    ...(isUnderWay ? [{ id: "sections", name: `Sections (${done(works)} of ${works.length})` }] : []),
    ...(research.outline === undefined ? [] : [{ id: "outline", name: "Outline" }]),
    ...(result.citations.length === 0 ? [] : [{ id: "provenance", name: "Provenance" }]),
    ...(result.charts.length === 0 ? [] : [{ id: "charts", name: `Charts (${result.charts.length})` }]),
  ];
  const wanted = route.value.query.get("part");
  const tab = tabs.find((one) => one.id === wanted)?.id ?? tabs[0]?.id;
  return (
    <div class="research">
      <h3 class="research-query">{visible(research.query)}</h3>
      <Stages stages={stagesOf(model)} />
      {questions.length > 0 && <Questions thread={thread} questions={questions} isAlone={false} />}
      <Notices notices={research.notices} notes={research.notes} />
      {tab === undefined && questions.length === 0 && <Nothing record={record} />}
      {tab !== undefined && !(tab === "outline" && questions.some((one) => "outline" in objectOf(one.value))) && (
        <div class="research-body">
          <div class="research-parts">
            <Tabs label="Parts of the research" tabs={tabs} chosen={tab} query="part">
              {tab === "report" && <ReportView research={research} />}
              {tab === "sections" && <Sections works={works} />}
              {tab === "outline" && research.outline !== undefined && <OutlineList outline={research.outline} />}
              {tab === "provenance" && <ProvenanceView provenance={provenance} />}
              {tab === "charts" && <Charts research={research} />}
            </Tabs>
          </div>
          <SourcePanel research={research} provenance={provenance} />
        </div>
      )}
    </div>
  );
}

function done(works: ReturnType<typeof sectionsOf>): number {
  return works.filter((work) => work.status === "done").length;
}

/** What a thread says that has nothing to show yet, or ended without a report. */
function Nothing({ record }: { record: AppProps["record"] }): JSX.Element {
  const messages = record.values?.messages;
  const last = Array.isArray(messages) ? objectOf(messages.at(-1)) : {};
  if (last.type === "ai" && typeof last.content === "string") return <Markdown text={last.content} />;
  return <Empty>{record.status === "busy" ? "The research begins …" : "There is nothing of a research yet."}</Empty>;
}
