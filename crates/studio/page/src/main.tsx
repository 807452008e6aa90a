import { render } from "preact";
import { App } from "./app.tsx";
import "./theme.ts";

const root = document.getElementById("studio");
if (root !== null) render(<App />, root);
