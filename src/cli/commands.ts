// The commands as data: their arguments and help texts.
import { lookupTable } from "../apimachinery/json/json.ts";
import { UsageError } from "../server/errors.ts";
import type { Command, Flag } from "../server/options/flag.ts";
import { FLAGS, serverFlag } from "../server/options/options.ts";
import { CLIENT_COMMANDS } from "./client-commands.ts";
import { ENVTEST } from "./envtest-command.ts";
import { ETCD_FLAGS } from "./flag-forms.ts";
import { SERVE } from "./serve-command.ts";

/** Shells with completion. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The server's --data-dir flag, with another description. */
const dataDir = (text: string): Flag => ({ ...serverFlag("data-dir"), text });

/** Defaults that differ where a command starts its own server. */
const RUN_DEFAULTS: Readonly<Record<string, string>> = lookupTable({
  listen: "a free port",
  kubeconfig: "a file that goes with the server",
  "data-dir": "none: it is in memory",
});

const RUN_FLAGS: readonly Flag[] = [
  {
    name: "envtest",
    type: "boolean",
    text: "no server: the command, a suite that starts a control plane of its own, finds executables of Egret for it",
  },
  ...FLAGS.map((flag) => {
    const defaultText = RUN_DEFAULTS[flag.name];
    return defaultText === undefined ? flag : { ...flag, defaultText };
  }),
];

const DEMO_FLAGS: readonly Flag[] = FLAGS.filter(
  ({ name }) => name !== "cluster" && name !== "in-memory",
).map((flag) => (flag.name === "data-dir" ? { ...flag, defaultText: "none: it is in memory" } : flag));

const LOCAL_COMMANDS: readonly Command[] = [
  SERVE,
  {
    word: "run",
    usage: ["[flags] -- COMMAND…", "--envtest -- COMMAND…"],
    summary: "gives one command a fresh server, which it finds by `KUBECONFIG`",
    text: `The server is in memory, on a free port, unless the flags say otherwise; they are those of egret serve. The exit
code is that of the command; 127 where there is no such command, 126 where it cannot be run.`,
    flags: RUN_FLAGS,
  },
  ENVTEST,
  {
    word: "demo",
    usage: ["[--size small|large] [--data-dir DIR] [flags]"],
    summary: "a living cluster with a small shop on it, whose nodes fail and come back",
    text: `Three teams with Deployments, Services, egress IPs, a firewall, an EgressService and one mistake; it prints what to
try. The flags are those of egret serve. It is in memory unless a folder is named, which a later demonstration goes on
from.`,
    flags: [
      {
        name: "size",
        type: "string",
        value: "SIZE",
        choices: ["small", "large"],
        default: "small",
        text: "`large` has 500 nodes and 20,000 pods",
      },
      ...DEMO_FLAGS,
    ],
  },
  {
    word: "check",
    usage: ["[--data-dir DIR|--store PLACE] [--repair FILE] [flags]"],
    summary: "says whether a store is sound, while no server uses it",
    text: `Records, objects and definitions are checked. Exits 0 when all of it is sound, 1 when something is wrong. A place is
\`level:DIR\` or \`etcd://HOST:PORT,…\`. What --repair removes is in FILE before: a line of JSON for each key, with its
bytes and, where they hold one, the object. A store whose records are damaged is not repaired: restore a backup.`,
    flags: [
      dataDir("folder of the store"),
      {
        name: "store",
        type: "string",
        value: "PLACE",
        text: "the store to check, in the place of the folder",
      },
      {
        name: "repair",
        type: "string",
        value: "FILE",
        text: "write the broken objects to this file, for its owner alone, and remove them",
        offers: "file",
      },
      ...ETCD_FLAGS,
    ],
  },
  {
    word: "migrate",
    usage: ["--from PLACE --to PLACE [flags]"],
    summary: "takes all that a store holds over into another one, such as an etcd",
    text: `Places are those of \`--store\`: \`level:DIR\` or \`etcd://HOST:PORT,…\`. No server may use the first one meanwhile, and the
other one must be empty. What was copied is compared. Resource versions are new, the past stays behind.`,
    flags: [
      { name: "from", type: "string", value: "PLACE", text: "the store to read" },
      { name: "to", type: "string", value: "PLACE", text: "the store to fill" },
      ...ETCD_FLAGS,
    ],
  },
  {
    word: "controllers",
    usage: [""],
    summary: "lists the controllers that `--controllers` can name",
    flags: [],
  },
  {
    word: "completion",
    usage: [SHELLS.join("|")],
    summary: "prints a script that teaches a shell the commands and flags",
    text: `  bash   source <(egret completion bash)                    in ~/.bashrc
  zsh    egret completion zsh > "\${fpath[1]}/_egret"        once
  fish   egret completion fish | source                     in ~/.config/fish/config.fish`,
    words: SHELLS.map((word) => ({ word, text: `for ${word}` })),
    flags: [],
  },
];

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [...LOCAL_COMMANDS, ...CLIENT_COMMANDS];

/** A usage error with the forms of the command: "missing subcommand: egret faults [list] | …". */
export function usageError(what: string, command: string): UsageError {
  const forms = COMMANDS.filter(({ word }) => word === command).flatMap(({ usage }) => usage);
  return new UsageError(`${what}: ${forms.map((form) => `egret ${command} ${form}`.trimEnd()).join(" | ")}`);
}
