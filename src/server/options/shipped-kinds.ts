// The value of --kinds: which of the CustomResourceDefinitions that Egret ships are installed.
import { UsageError } from "../errors.ts";

/** The plural names of the shipped kinds by group. A unit test compares them with schemas/. */
export const SHIPPED_KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "k8s.ovn.org",
    [
      ...["adminpolicybasedexternalroutes", "clusternetworkconnects", "clusteruserdefinednetworks"],
      ...["egressfirewalls", "egressips", "egressqoses", "egressservices", "networkqoses"],
      ...["routeadvertisements", "uplinks", "uplinkstates", "userdefinednetworks", "vteps"],
    ],
  ],
  ["cloud.network.openshift.io", ["cloudprivateipconfigs"]],
  ["controlplane.operator.openshift.io", ["podnetworkconnectivitychecks"]],
  ["network.operator.openshift.io", ["egressrouters"]],
  ["route.openshift.io", ["routes"]],
  ["k8s.cni.cncf.io", ["network-attachment-definitions"]],
  ["whereabouts.cni.cncf.io", ["ippools", "nodeslicepools", "overlappingrangeipreservations"]],
]);

export const ALL_KINDS = "all";
export const NO_KINDS = "none";

const DEFINITIONS: readonly string[] = [...SHIPPED_KINDS].flatMap(([group, resources]) =>
  resources.map((resource) => `${resource}.${group}`),
);

/** The group of a definition: the part of its name after the first dot. */
export const groupOfDefinition = (name: string): string => name.slice(name.indexOf(".") + 1);

/** Whether a definition of this name is installed. The value is one that checkKinds() accepts. */
export function chosenKinds(value: string): (name: string) => boolean {
  const words = wordsOf(value);
  if (words.includes(ALL_KINDS)) return () => true;
  return (name) => words.some((word) => isNamedBy(name, word));
}

/** Throws UsageError for a word that names no group and no kind. */
export function checkKinds(value: string): void {
  const words = wordsOf(value);
  for (const word of words) {
    if (word === ALL_KINDS || word === NO_KINDS) {
      if (words.length > 1) throw new UsageError(`--kinds ${value}: ${word} must be the only word`);
    } else if (!DEFINITIONS.some((name) => isNamedBy(name, word))) throw new UsageError(unknown(word));
  }
}

const wordsOf = (value: string): string[] =>
  value
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

/** Whether the word is the group, the plural, or both. */
const isNamedBy = (name: string, word: string): boolean =>
  name === word || groupOfDefinition(name) === word || name.slice(0, name.indexOf(".")) === word;

function unknown(word: string): string {
  const groups = [...SHIPPED_KINDS].map(([group, names]) => `${group} (${names.join(", ")})`);
  return `--kinds: ${JSON.stringify(word)} must be ${ALL_KINDS}, ${NO_KINDS}, a group or a kind of: ${groups.join("; ")}`;
}
