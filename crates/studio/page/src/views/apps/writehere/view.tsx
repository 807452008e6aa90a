// WriteHERE: the tree of tasks as it grows, beside it the text as it is written, and what each of them rests on.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { api } from "../../../connection.ts";
import { Empty, Problem } from "../../../parts/basics.tsx";
import { route } from "../../../route.ts";
import { Questions } from "../../thread/questions.tsx";
import type { AppProps } from "../index.ts";
import { stand, useInnerState } from "../inner.ts";
import { namespaceOf } from "../namespace.ts";
import { useChosen } from "./chosen.ts";
import { SourcesContext } from "./citations.tsx";
import { numbered, partsOf, progressOf } from "./document.ts";
import { DocumentView } from "./document-view.tsx";
import { DrawingView } from "./drawing-view.tsx";
import { wordsIn } from "./length.ts";
import { ProgressLine } from "./progress.tsx";
import { isUnderWay } from "./rows.ts";
import { SourcePanel } from "./source.tsx";
import { FIELDS, writingIn } from "./state.ts";
import { TaskPanel } from "./task-panel.tsx";
import { TreeForm } from "./tree-form.tsx";
import { TreeView } from "./tree-view.tsx";
import { carriedOut, NODE, worksOf } from "./work.ts";

export function TextView({ thread, model, questions }: AppProps): JSX.Element {
  const ns = namespaceOf(model, NODE);
  const { state, problem } = useInnerState(thread, model, NODE, FIELDS);
  const writing = useMemo(() => writingIn(state?.values), [state]);
  const works = useMemo(() => worksOf(model, ns), [model, ns]);
  const underWay = carriedOut(works).join(" ");
  const parts = useMemo(
    () => (writing === undefined ? [] : partsOf(writing, new Set(underWay.split(" ")))),
    [writing, underWay],
  );
  const byId = useMemo(() => {
    const { references } = writing?.finished ?? {};
    if (references !== undefined && references.length > 0) {
      return new Map(references.flatMap((one) => one.evidence.map((id) => [id, one] as const)));
    }
    return numbered(parts, writing?.evidence ?? new Map());
  }, [writing, parts]);
  const progress = useMemo(() => {
    if (writing === undefined) return undefined;
    return progressOf(writing, parts, writing.wanted ?? wordsIn(writing.nodes.get("root")?.length));
  }, [writing, parts]);
  const chosen = useChosen();
  const [drawn, setDrawn] = useState(false);
  // A saved export has no server that draws.
  const isDrawn = drawn && !api.value.isSaved;
  const sources = useMemo(() => ({ byId, open: chosen.openSource }), [byId, route.value]);
  const asks = questions.length > 0 && <Questions thread={thread} questions={questions} isAlone={false} />;
  if (writing === undefined || progress === undefined) {
    return (
      <>
        {asks}
        {problem !== undefined && <Problem>{problem}</Problem>}
        {state === undefined && problem === undefined && <Empty>The text is being read …</Empty>}
        {state !== undefined && questions.length === 0 && (
          <Empty>
            {model.runs.length === 0 ? "No run of its own is told on this thread." : "Nothing is planned yet."}
          </Empty>
        )}
      </>
    );
  }
  const goesOn = isUnderWay(model, ns);
  return (
    <SourcesContext.Provider value={sources}>
      <div class="writehere">
        {asks}
        {problem !== undefined && <Problem>{problem}</Problem>}
        <ProgressLine
          progress={progress}
          status={writing.finished?.status}
          goesOn={goesOn}
          asks={questions.length > 0}
        />
        <div class="wh-panes">
          <div class="wh-side">
            {!api.value.isSaved && <TreeForm isDrawn={isDrawn} onChange={setDrawn} />}
            {isDrawn ? (
              <DrawingView {...{ thread, ns, stand: stand(model, ns), tasks: progress.tasks }} />
            ) : (
              <TreeView {...{ writing, works, goesOn, time: model.time, chosen }} />
            )}
            {chosen.source !== undefined ? (
              <SourcePanel writing={writing} id={chosen.source} onClose={chosen.close} />
            ) : (
              chosen.part !== undefined && <TaskPanel {...{ thread, model, writing, works, goesOn, chosen }} />
            )}
          </div>
          <DocumentView {...{ writing, parts, works, chosen }} />
        </div>
      </div>
    </SourcesContext.Provider>
  );
}
