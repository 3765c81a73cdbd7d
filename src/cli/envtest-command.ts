// The `egret envtest` command, as data.

import type { Command } from "../server/options/flag.ts";
import { LAYOUT_NAMES } from "./envtest/layouts.ts";

export const ENVTEST: Command = {
  word: "envtest",
  usage: ["[DIR] [--layout NAME] [--print-path]"],
  summary:
    "writes a folder with a `kube-apiserver` and an `etcd` for suites that start their own (`KUBEBUILDER_ASSETS`)",
  text: `Prints the folder, which also has a link to the kubectl that is installed. A suite starts both executables with the
flags of real ones; objects are gone when it ends its etcd. No controllers run, unless EGRET_CONTROLLERS names some.
kube-apiserver --help of that folder lists what becomes of each flag. Without DIR the folder is in the user's own ones.`,
  flags: [
    {
      name: "layout",
      type: "string",
      value: "NAME",
      choices: LAYOUT_NAMES,
      default: "flat",
      text: "where the executables lie below DIR; all but `flat` have `k8s/VERSION-OS-ARCH` there",
    },
    { name: "print-path", type: "boolean", text: "print the folder and nothing else" },
  ],
  offers: "folder",
};
