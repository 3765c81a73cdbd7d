// The command `egret case`, as data.
import type { Command } from "./flag.ts";
import { output, word } from "./flag-forms.ts";

export const CASE_COMMAND: Command = {
  word: "case",
  usage: ["run FILE… [-o text|json|junit]"],
  summary: "plays incidents as regression tests: a state, changes, and what is expected",
  text: `Each file has a server of its own in memory, whose clock stands: it always goes the same way. Exits 1 when something is
not as expected, and tells what, and why. The format: src/cases/README.md, openapi/egret__case_schema.json.`,
  words: [word("run FILE…", "plays the cases of files, and of folders of them")],
  flags: [output("text", "json", "junit")],
  offers: "file",
};
