// Helpers for common flags and subcommands.

import type { CommandWord, Flag } from "../server/options/flag.ts";
import { LIMIT_FLAG_NAMES } from "../server/options/import-limits.ts";
import { FLAGS, serverFlag } from "../server/options/options.ts";

export const text = (name: string, value: string, about: string, more: Partial<Flag> = {}): Flag => ({
  ...{ name, type: "string", value, text: about },
  ...more,
});
export const onOff = (name: string, about: string): Flag => ({ name, type: "boolean", text: about });

/** "save NAME" */
export const word = (form: string, about: string): CommandWord => {
  const [first = "", value] = form.split(" ");
  return { word: first, ...(value === undefined ? {} : { value }), text: about };
};

/** Flags for the connection to etcd and its storage layout. */
export const ETCD_FLAGS: readonly Flag[] = FLAGS.filter(
  ({ name }) =>
    name === "store-prefix" || name === "encryption-provider-config" || /^etcd-.*(?:file|user)$/.test(name),
);

/** Limits for reading files. */
export const LIMIT_FLAGS: readonly Flag[] = FLAGS.filter(({ name }) => LIMIT_FLAG_NAMES.includes(name));

/** Flags that select the server; every command here has them. */
export const SERVER_FLAGS: readonly Flag[] = [
  {
    ...serverFlag("kubeconfig"),
    defaultText: "`$KUBECONFIG`, a list as kubectl takes it, else `.egret/kubeconfig`",
    text: "of the server that is meant",
  },
  text("context", "NAME", "the context of the kubeconfig that is meant; left out: the current one"),
  text("ready-file", "PATH", "written by the server that is meant, in the place of a kubeconfig", {
    offers: "file",
  }),
];

export const namespace = (about: string, more: Partial<Flag> = {}): Flag =>
  text("namespace", "NAME", about, { short: "n", ...more });
export const output = (...choices: readonly string[]): Flag =>
  text("output", "FORM", "how it is printed", { short: "o", default: choices[0] ?? "", choices });
