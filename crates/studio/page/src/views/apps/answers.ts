// The questions of applications that are shown and answered in a way of their own, in place of the form of their schema.

import type { JSX } from "preact";
import type { Interrupt, Json } from "../../api/types.ts";
import { PLAN_REVIEW } from "./writehere/review/control.tsx";
import { outlineReview } from "./deepsearch/outline-review.tsx";
import { questionsBefore } from "./deepsearch/questions-before.tsx";
import { reportChanges } from "./deepsearch/report-changes.tsx";
import { vaultReview } from "./obsius/review.tsx";

export interface AnswerProps {
  question: Interrupt;
  /** What the person has made of it so far; it survives a reload. `undefined` before anything. */
  draft: Json | undefined;
  onChange: (draft: Json) => void;
  /** Gives the answer. */
  onAnswer: (answer: Json) => void;
  /** Whether an answer can be given now. If not, the question is only shown. */
  isOpen: boolean;
}

export interface AnswerControl {
  /** Whether it is for a question, which is known by what it says. */
  fits: (question: Interrupt) => boolean;
  /** Shows the question, and takes its answer. */
  Control: (props: AnswerProps) => JSX.Element;
}

const CONTROLS: AnswerControl[] = [PLAN_REVIEW, questionsBefore, outlineReview, vaultReview, reportChanges];

/** The control for a question; most have none. */
export function controlOf(question: Interrupt): AnswerControl | undefined {
  return CONTROLS.find((control) => control.fits(question));
}
