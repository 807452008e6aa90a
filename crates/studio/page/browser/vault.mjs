// What Obsius works with in tests: a small vault, and a model that answers by rules.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The notes of the vault as they are at first. */
export const NOTES = {
  "Gradient descent.md":
    "---\ntags: [machine-learning]\n---\nGradient descent is how machine learning models are trained.\n",
  "nets/Networks.md": "# Neural networks\n\nNetworks are a kind of machine learning. See [[Gradient descent]].\n",
  "nets/Trees.md": "Decision trees are machine learning without gradients.\n",
  "Soup.md": "Soup is made of water.\n",
};

/** What a note is given that must not run. */
export const HARM = '<img src=x onerror="canary(1)">';
const action = (id, tool, args) => ({ id, tool, arguments: JSON.stringify(args), depends_on: [], subtask: "2" });
const index = (text, more) => ({
  answer: null,
  actions: [
    action("a", "create_note", { title: "Machine learning", content: text }),
    action("b", "update_note", { path: "nets/Trees.md", operation: "append", content: `They split.${more}\n` }),
  ],
});

/** The note that is written. */
export const LINKS = "# Machine learning\n\n- [[Gradient descent]]\n- [[Networks]]\n- [[Trees]]\n";
const subtask = (goal, kind, ...before) => ({ goal, kind, depends_on: before, criteria: [] });

/** The rules of the model. What is added to a note ends with `more`. */
export const script = (more = "") => [
  {
    when: "You plan work on a person's notes",
    json: {
      ...{ keywords: ["machine", "learning"], title: "Machine learning", answer: null },
      subtasks: [subtask("find the notes", "search"), subtask("write an index of them", "create", "1")],
    },
  },
  { when: ["You carry out a plan", "say more of them"], json: index(`${LINKS}\nMore of them.\n`, more) },
  { when: "You carry out a plan", json: index(LINKS, more) },
  { when: "You judge whether work", json: { judgements: [], complete: true, reason: "done", confidence: 0.9 } },
];

/** The rules with a note that is given what must not run. */
export const SCRIPT = script(` ${HARM}`);

/** What a run begins with; it asks for a review of two changes. */
export const REQUEST = {
  request: "Create an index note of all notes about machine learning, with links, and say in Trees what they do",
};

/** A vault in a folder of its own. */
export class Vault {
  #place = mkdtempSync(join(tmpdir(), "studio-vault-"));
  folder = join(this.#place, "vault");

  constructor() {
    this.fill();
  }

  /** Puts the notes into it as they are at first. */
  fill() {
    rmSync(this.folder, { recursive: true, force: true });
    for (const [path, text] of Object.entries(NOTES)) {
      mkdirSync(join(this.folder, path, ".."), { recursive: true });
      writeFileSync(join(this.folder, path), text);
    }
  }

  /** The file of a note. */
  at(path) {
    return join(this.folder, path);
  }

  remove() {
    rmSync(this.#place, { recursive: true, force: true });
  }
}
