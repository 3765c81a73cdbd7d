// The commands that import a cluster, compare it, and export the state, as data.

import type { Command, Flag } from "../server/options/flag.ts";
import { LIMIT_FLAGS, namespace, onOff, output, text } from "./flag-forms.ts";

const OUTPUT = output("text", "json");

/** Flags that replace names and addresses. */
const ANONYMISE: readonly Flag[] = [
  onOff(
    "anonymise",
    "under other names and addresses, alike wherever they stand; without values of Secrets and ConfigMaps",
  ),
  text("key", "TEXT", "with `--anonymise`: the same key gives the same names in every run"),
];

/** Sources besides files. */
const SOURCES: readonly Flag[] = [
  text("from-kubeconfig", "PATH", "a cluster to read by lists of its API; nothing is written there", {
    offers: "file",
  }),
  text("from-context", "NAME", "the context of that kubeconfig; left out: the current one"),
  ...ANONYMISE,
  ...LIMIT_FLAGS,
];

/** All supported forms of sources. */
const PATHS = `PATH is one of these; several are taken together:
  a file or folder of YAML, JSON or lines of JSON: what kubectl get -A -o yaml|json or kubectl cluster-info dump prints
  what oc adm must-gather or oc adm inspect has collected; a Velero backup, Insights, Sonobuoy or a support bundle
  any of these as .tar, .tar.gz or .zip, or a file as .gz
  a copy of etcd: what etcdctl snapshot save writes, or member/snap/db; it is only read
  - is the standard input: anything but a zip archive and a copy of etcd`;

/** In the order of the help. */
export const STATE_COMMANDS: readonly Command[] = [
  {
    word: "import",
    usage: ["PATH… [flags]", "--from-kubeconfig PATH [--from-context NAME] [flags]"],
    summary: "imports a cluster unchanged: a dump, a must-gather, a copy of etcd, a folder",
    text: `${PATHS}

Objects keep uids, times, owners, status and placements, and are not checked: what an old cluster holds may be odd.
Controllers begin anew on it, as after a restart. What is skipped is told with its reason.`,
    flags: [
      ...SOURCES,
      onOff("secrets", "import Secrets, too"),
      onOff("webhooks", "import configurations of webhooks, too, though nobody answers them here"),
      OUTPUT,
    ],
    offers: "file",
  },
  {
    word: "diff",
    usage: ["PATH… [--recompute] [flags]", "--from-kubeconfig PATH [--from-context NAME] [flags]"],
    summary: "how what import takes differs from the state: objects, and what was decided",
    text: `${PATHS}

Told are objects that are only there (-), only here (+) or not the same (~), without versions, managers and heartbeats,
and without what the server makes of itself; then which node each egress address had and has, and why. Exits 1 when
something differs.`,
    flags: [
      ...SOURCES,
      onOff("recompute", "tell also what would be decided anew, if nothing had been decided yet"),
      onOff("secrets", "compare Secrets, too"),
      OUTPUT,
    ],
    offers: "file",
  },
  {
    word: "export",
    usage: ["[KIND[,KIND]…] [flags]", "[KIND[,KIND]…] FILE|FOLDER [--secrets] [flags]"],
    summary: "prints the objects that people have put in, or writes the state for `egret import`",
    text: `What a server writes of itself is left out, status with it but for that of nodes, so that any server takes the objects.
To keep what controllers have decided: egret export --full, and egret apply --status.

With a place to write to it is the state: every object as it stands, with uid and status, but without resourceVersion
and without what every server has. A name ending in .yaml, .json or .jsonl is a file, - the standard output in YAML, any
other (with a slash in it) a folder that gets a tree of files as must-gather lays it out. The same state gives the same
bytes.`,
    flags: [
      onOff("secrets", "the state with its Secrets"),
      ...ANONYMISE,
      namespace("objects of this namespace alone"),
      text("selector", "LABELS", "objects with these labels alone: `app=web,tier!=db`", { short: "l" }),
      onOff("full", "all objects as they are, with status, uid and managedFields"),
      output("yaml", "json"),
    ],
  },
];
