// The command `egret case`, as data.

import { PLATFORMS } from "../controller/emulated-release.ts";
import { SOURCE_FORMS } from "../features/import/sources/source.ts";
import type { Command } from "../server/options/flag.ts";
import { onOff, output, text, word } from "./flag-forms.ts";

export const CASE_COMMAND: Command = {
  word: "case",
  usage: [
    "run FILE… [--cluster] [--platform NAME] [-o text|json|junit]",
    "save NAME [-n NAMESPACE]… [-l LABELS] [--from PATH]… [--cluster] [--platform NAME] [--replace]",
  ],
  summary: "plays incidents as regression tests: a state, changes, and what is expected",
  text: `Each file has a server of its own in memory, whose clock stands: it always goes the same way. Exits 1 when something is
not as expected, and tells what, and why. The format: src/testing/cases/README.md, openapi/egret__case_schema.json.

What is saved is what verdicts read of a running Egret, of another cluster with ovn-kubernetes, or of files: nodes,
pods, policies and egress objects with their status; and that the egress addresses are where they are. It is played at
once.`,
  words: [
    word("run FILE…", "plays the cases of files, and of folders of them"),
    word("save NAME", "writes the present state as NAME.yaml"),
  ],
  flags: [
    output("text", "json", "junit"),
    text("namespace", "NAME", "save objects of this namespace, beside those of none", {
      short: "n",
      multiple: true,
    }),
    text("selector", "LABELS", "save objects in namespaces with these labels alone: `app=web,tier!=db`", {
      short: "l",
    }),
    text("from", "PATH", `what is saved in the place of a server: ${SOURCE_FORMS}`, {
      multiple: true,
      offers: "file",
    }),
    onOff("cluster", "a cluster that lives, as by `egret --cluster`, whatever the file or the server says"),
    text("platform", "NAME", "where the cluster stands, whatever the file, the server or its objects say", {
      choices: PLATFORMS,
    }),
    onOff("replace", "save over a file of that name"),
  ],
  offers: "file",
};
