// Steps of a plan: as URL parameters, as request body, and as command.
import type { PlannedChange } from "../../features/analysis/planned-change.ts";

/** Steps that fit into the URL; manifests are too long for it. */
export const VERBS = ["notready", "ready", "label", "unlabel", "address", "delete"] as const;
export type Verb = (typeof VERBS)[number];

export interface Step {
  readonly verb: Verb;
  /** node/NAME, pod/NAMESPACE/NAME. */
  readonly object: string;
  /** KEY=VALUE for label, KEY for unlabel, an address for address; otherwise "". */
  readonly label: string;
}

export const ASSIGNABLE = "k8s.ovn.org/egress-assignable";

/** Parses "unlabel:node/n2:KEY"; undefined if the text is no valid step. */
export function parseStep(text: string): Step | undefined {
  const [first = "", object = "", ...rest] = text.split(":");
  const verb = VERBS.find((known) => known === first);
  const label = rest.join(":");
  if (verb === undefined || !/^[^/]+\/.+$/.test(object)) return undefined;
  if (takesLabel(verb) !== (label !== "")) return undefined;
  return { verb, object, label };
}

export const takesLabel = (verb: Verb): boolean =>
  verb === "label" || verb === "unlabel" || verb === "address";

export const formatStep = ({ verb, object, label }: Step): string =>
  [verb, object, ...(label === "" ? [] : [label])].join(":");

export function changeOf({ verb, object, label }: Step): PlannedChange {
  switch (verb) {
    case "notready":
      return { notReady: object };
    case "ready":
      return { ready: object };
    case "delete":
      return { delete: object };
    case "unlabel":
      return { label: object, labels: { [label]: null } };
    case "address":
      return { patch: object, type: "json", with: moreAddresses(label) };
    case "label": {
      const [key = "", ...value] = label.split("=");
      return { label: object, labels: { [key]: value.join("=") } };
    }
  }
}

/** JSON patch that adds an address; used by the plan and by the real write. */
export const moreAddresses = (address: string) => [{ op: "add", path: "/spec/egressIPs/-", value: address }];

/** Planned changes of nodes, by node name. */
export function fatesOf(steps: readonly Step[]): ReadonlyMap<string, string> {
  const fates = new Map<string, string>();
  for (const { verb, object, label } of steps) {
    const [, node] = /^(?:node|nodes|no)\/(.+)$/.exec(object) ?? [];
    if (node !== undefined && verb !== "address") fates.set(node, FATES[verb](label));
  }
  return fates;
}

const FATES: Readonly<Record<Exclude<Verb, "address">, (label: string) => string>> = {
  notready: () => "would be not Ready",
  ready: () => "would be Ready",
  delete: () => "would be gone",
  label: (label) => (label.startsWith(ASSIGNABLE) ? "would be assignable" : `would have ${label}`),
  unlabel: (label) => (label === ASSIGNABLE ? "would not be assignable" : `would not have ${label}`),
};

/** The step as text for display. */
export function inWords({ verb, object, label }: Step): string {
  switch (verb) {
    case "notready":
      return `${object} is not Ready`;
    case "ready":
      return `${object} is Ready`;
    case "delete":
      return `${object} is deleted`;
    case "label":
      return `${object} gets the label ${label}`;
    case "unlabel":
      return `${object} loses the label ${label}`;
    case "address":
      return `${object} asks for ${label} as well`;
  }
}

/** The equivalent command; undefined if a step has no flag. */
export function commandOf(steps: readonly Step[]): string | undefined {
  const words = ["egret plan"];
  for (const { verb, object, label } of steps) {
    if (verb === "ready" || verb === "address") return undefined;
    if (verb === "notready") words.push("--not-ready", object);
    else if (verb === "delete") words.push("--delete", object);
    else words.push("--label", object, verb === "label" ? quoted(label) : `${quoted(label)}-`);
  }
  return words.join(" ");
}

const quoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * YAML body of a plan. Manifests are inserted unchanged: the server parses them, and rejects a document that is no
 * mapping. With `at` the plan starts from that revision.
 */
export function planBody(steps: readonly Step[], manifests: string, at?: number): string {
  const documents = manifests
    .split(/^---(?:[ \t].*)?$/m)
    .filter((text) => text.replace(/^\s*#.*$/gm, "").trim() !== "");
  const applied = documents.map((text) => `- apply:\n${text.trimEnd().replace(/^/gm, "    ")}`);
  const others = steps.map((step) => `- ${JSON.stringify(changeOf(step))}`);
  const items = [...applied, ...others];
  const moment = at === undefined ? "" : `resourceVersion: "${at}"\n`;
  return `${moment}${items.length === 0 ? "changes: []\n" : `changes:\n${items.join("\n")}\n`}`;
}
