// Forms for values of a JSON Schema.

export { type Draft, draftOf, EitherForm, problemsOf } from "./either.tsx";
export { focusProblem, SchemaForm } from "./form.tsx";
export { validate } from "./validate.ts";
