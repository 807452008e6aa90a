// WriteHERE: the tree of tasks as it grows, beside it the text as it is written, and what each of them rests on.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Empty, Problem } from "../../../parts/basics.tsx";
import { Questions } from "../../thread/questions.tsx";
import type { AppProps } from "../index.ts";
import { namespaceOf, useInnerState } from "../inner.ts";
import { useChosen } from "./chosen.ts";
import { numbered, partsOf, progressOf } from "./document.ts";
import { DocumentView } from "./document-view.tsx";
import { wordsIn } from "./length.ts";
import { ProgressLine } from "./progress.tsx";
import { isUnderWay } from "./rows.ts";
import { SourcePanel } from "./source.tsx";
import { writingIn } from "./state.ts";
import { TaskPanel } from "./task-panel.tsx";
import { TreeView } from "./tree-view.tsx";
import { worksOf } from "./work.ts";

/** The node of the graph around it at which WriteHERE's own graph is. */
const NODE = "write";

export function TextView({ thread, model, questions }: AppProps): JSX.Element {
  const ns = namespaceOf(model, NODE);
  const { state, problem } = useInnerState(thread, model, NODE);
  const writing = useMemo(() => writingIn(state?.values), [state]);
  const works = useMemo(() => worksOf(model, ns), [model, ns]);
  const parts = useMemo(() => (writing === undefined ? [] : partsOf(writing, works)), [writing, works]);
  const sources = useMemo(() => {
    const { references } = writing?.finished ?? {};
    if (references !== undefined && references.length > 0) {
      return new Map(references.flatMap((one) => one.evidence.map((id) => [id, one] as const)));
    }
    return numbered(parts, writing?.evidence ?? new Map());
  }, [writing, parts]);
  const chosen = useChosen();
  const asks = questions.length > 0 && <Questions thread={thread} questions={questions} isAlone={false} />;
  if (writing === undefined) {
    return (
      <>
        {asks}
        {problem !== undefined && <Problem>{problem}</Problem>}
        {state === undefined && problem === undefined && <Empty>The text is being read …</Empty>}
        {state !== undefined && questions.length === 0 && (
          <Empty>{model.runs.length === 0 ? "No run of its own is told on this thread." : "Nothing is planned yet."}</Empty>
        )}
      </>
    );
  }
  const wanted = writing.wanted ?? wordsIn(writing.nodes.get("root")?.length);
  const goesOn = isUnderWay(model, ns);
  return (
    <div class="writehere">
      {asks}
      {problem !== undefined && <Problem>{problem}</Problem>}
      <ProgressLine progress={progressOf(writing, parts, wanted)} status={writing.finished?.status} goesOn={goesOn} />
      <div class="wh-panes">
        <div class="wh-side">
          <TreeView {...{ writing, works, goesOn, time: model.time, chosen }} />
          {chosen.source !== undefined ? (
            <SourcePanel writing={writing} sources={sources} chosen={chosen} />
          ) : (
            chosen.part !== undefined && <TaskPanel {...{ writing, works, goesOn, time: model.time, sources, chosen }} />
          )}
        </div>
        <DocumentView {...{ writing, parts, works, sources, chosen }} />
      </div>
    </div>
  );
}
