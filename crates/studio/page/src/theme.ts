// Light or dark: as the system says, unless a person chose otherwise here.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const NAME = "graphloom.theme";
const stored = localStorage.getItem(NAME);

export const theme = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

effect(() => {
  if (theme.value === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(NAME);
  } else {
    document.documentElement.dataset.theme = theme.value;
    localStorage.setItem(NAME, theme.value);
  }
});
