// The commands that ask a running server for something, as data.

import { serverFlag } from "../options/options.ts";
import type { Command, Flag } from "./flag.ts";

/** Which server is meant; every command here has them. */
export const SERVER_FLAGS: readonly Flag[] = [
  {
    ...serverFlag("kubeconfig"),
    defaultText: "`$KUBECONFIG`, a list as kubectl takes it, else `.egret/kubeconfig`",
    text: "of the server that is meant",
  },
  {
    name: "ready-file",
    type: "string",
    value: "PATH",
    offers: "file",
    text: "written by the server that is meant, in the place of a kubeconfig",
  },
];

const NAMESPACE: Flag = { name: "namespace", short: "n", type: "string", value: "NAME", text: "" };
const FORMS = ["text", "json"] as const;
const OUTPUT: Flag = {
  name: "output",
  short: "o",
  type: "string",
  value: "FORM",
  default: "text",
  choices: FORMS,
  text: "how it is printed",
};
const EXPIRE_WATCHES: Flag = {
  name: "expire-watches",
  type: "boolean",
  text: "end open watches with 410 Expired; otherwise they see the differences",
};

const FILTERS: readonly Flag[] = [
  ...["verb", "group", "resource", "namespace", "name", "user-agent", "user"].map(
    (name): Flag => ({ name, type: "string", value: "TEXT", text: "requests of this alone" }),
  ),
  { name: "status", type: "string", value: "CODE", text: "of the answer; 0 is none" },
  { name: "since", type: "string", value: "SEQUENCE", text: "requests after this one" },
  { name: "limit", type: "string", value: "COUNT", text: "the newest so many" },
];

const COMMANDS: readonly Command[] = [
  {
    word: "status",
    usage: ["[-o json]"],
    summary: "says which server runs here: address, process, folder, version, how much is in it",
    text: "Exits 1 when none does. -o json prints a list: in one folder several can run.",
    flags: [OUTPUT],
  },
  {
    word: "kubeconfig",
    usage: [""],
    summary: "prints the kubeconfig of a running server",
    flags: [],
  },
  {
    word: "apply",
    usage: ["-f PATH|- [-f PATH]… [--namespace NAME] [--status]"],
    summary: "applies the objects of files and folders",
    text: `Applies YAML or JSON as kubectl apply --server-side --force-conflicts does; namespaces, definitions and nodes go
first. Exits 1 when an object was refused; the others are applied.

A status is taken as a server takes it. Where it is a subresource (Pod, EgressService) it is not set, but for a Node
that is new; where it is a field as others are (EgressIP) it is written. With --status it is set everywhere, and
controllers look at all of it only then: so what egret export --full has printed keeps its assignments.`,
    flags: [
      {
        name: "filename",
        short: "f",
        type: "string",
        multiple: true,
        value: "PATH",
        offers: "file",
        text: "a file of objects, or a folder of such files (.yaml, .yml, .json); `-` is the standard input",
      },
      { ...NAMESPACE, default: "default", text: "for objects that name none" },
      {
        name: "status",
        type: "boolean",
        text: "set the status of objects that bring one, also where it is a subresource",
      },
    ],
  },
  {
    word: "export",
    usage: ["[KIND[,KIND]…] [flags]"],
    summary: "prints the objects that people have put in",
    text: `What a server writes of itself is left out, status with it but for that of nodes, so that any server takes the objects.
To keep what controllers have decided: egret export --full, and egret apply --status.`,
    flags: [
      { ...NAMESPACE, text: "objects of this namespace alone" },
      {
        name: "selector",
        short: "l",
        type: "string",
        value: "LABELS",
        text: "objects with these labels alone: `app=web,tier!=db`",
      },
      { name: "full", type: "boolean", text: "all objects as they are, with status, uid and managedFields" },
      { ...OUTPUT, default: "yaml", choices: ["yaml", "json"] },
    ],
  },
  {
    word: "reset",
    usage: ["[--to empty|start|SNAPSHOT] [--expire-watches]"],
    summary: "brings an earlier state back in one change",
    flags: [
      {
        name: "to",
        type: "string",
        value: "STATE",
        default: "start",
        text: "what every server has (`empty`), what this one had when it was ready (`start`), or a snapshot",
      },
      EXPIRE_WATCHES,
    ],
  },
  {
    word: "snapshot",
    usage: ["[list]", "save [--replace] NAME", "restore [--expire-watches] NAME", "delete NAME"],
    summary: "states with names, as long as the server runs",
    text: "Snapshots are kept in memory; egret backup writes files.",
    words: [
      { word: "list", text: "all snapshots" },
      { word: "save", value: "NAME", text: "gives the present state a name" },
      { word: "restore", value: "NAME", text: "brings that state back" },
      { word: "delete", value: "NAME", text: "forgets it" },
    ],
    flags: [{ name: "replace", type: "boolean", text: "save over a snapshot of that name" }, EXPIRE_WATCHES],
  },
  {
    word: "backup",
    usage: ["FILE"],
    summary: "copies the store of a running server into a file",
    flags: [],
    offers: "file",
  },
  {
    word: "restore",
    usage: ["[--data-dir DIR] FILE", "[--expire-watches] SNAPSHOT"],
    summary: "makes a store of such a file; or brings a snapshot back",
    text: "The folder must not hold a store. A name that is no file is that of a snapshot of a running server.",
    flags: [{ ...serverFlag("data-dir"), text: "folder of the store to make" }, EXPIRE_WATCHES],
    offers: "file",
  },
  {
    word: "faults",
    usage: ["[list]", "add FILE-OR-TEXT…", "remove ID…", "clear"],
    summary: "what goes wrong for clients to meet it, and how often it did",
    text: `An example in words:
  egret faults add '{match: {resource: pods, verb: create}, count: 2, error: {code: 429}}'`,
    words: [
      { word: "list", text: "all faults" },
      {
        word: "add",
        value: "FILE-OR-TEXT…",
        text: "faults as YAML or JSON, in files (- is the input) or in words",
      },
      { word: "remove", value: "ID…", text: "takes these away" },
      { word: "clear", text: "takes all away" },
    ],
    flags: [OUTPUT],
    offers: "file",
  },
  {
    word: "requests",
    usage: ["[flags]"],
    summary: "who asked what, and what was answered",
    text: "Prints the last requests, oldest first. Texts of filters may hold * for any letters.",
    flags: [...FILTERS, { name: "clear", type: "boolean", text: "forget all requests instead" }, OUTPUT],
  },
  {
    word: "clock",
    usage: ["", "real|settle", "freeze [TIME]", "advance DURATION", "to TIME"],
    summary: "stops time, sets it, and lets it pass",
    text: "Alone it says what time it is for the server.",
    words: [
      {
        word: "freeze",
        value: "[TIME]",
        text: "the clock stands, at a time (2030-01-02T15:04:05Z) or where it is",
      },
      {
        word: "advance",
        value: "DURATION",
        text: "lets time pass (90s, 1h30m) by a clock that stands; ends when all that fell due is done",
      },
      { word: "to", value: "TIME", text: "the same, up to a time" },
      {
        word: "settle",
        text: "ends when all that was asked of the server so far has had its effect; no time passes",
      },
      { word: "real", text: "the clock is the machine's again" },
    ],
    flags: [],
  },
  {
    word: "history",
    usage: ["KIND NAME [flags]"],
    summary: "who changed which field of an object when",
    text: "A server keeps the past of five minutes unless it was started with --retain.",
    flags: [
      { ...NAMESPACE, default: "default", text: "of the object" },
      { name: "at", type: "string", value: "REVISION", text: "print the object as it was then, as JSON" },
      OUTPUT,
    ],
  },
  {
    word: "compact",
    usage: ["REVISION"],
    summary: "forgets all states before a revision",
    text: "Lists and watches that begin at one of them are answered with 410 Expired.",
    flags: [],
  },
];

export const CLIENT_COMMANDS: readonly Command[] = COMMANDS.map((command) => ({
  ...command,
  flags: [...command.flags, ...SERVER_FLAGS],
}));
