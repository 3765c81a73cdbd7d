// The primary networks that network selectors choose, as other kinds name them: the ClusterUserDefinedNetworks with a
// label, or whatever is the primary network of namespaces with a label.
import type { Informer } from "../../client/informer.ts";
import { type JsonObject, objectAt, objectsAt } from "../../meta/json.ts";
import { labelSelectorFromObject } from "../../meta/label-selector.ts";
import { type KubeObject, specOf } from "../../meta/object-meta.ts";
import { CUDN_KIND, isPrimary, type NetConf, networkOwnerOf, readNetConf } from "./net-conf.ts";

export interface SelectedNetwork {
  readonly conf: NetConf;
  /** Its NetworkAttachmentDefinitions, by namespace. */
  readonly nads: readonly KubeObject[];
}

export interface NetworkSources {
  readonly nads: Informer;
  readonly namespaces: Informer;
}

export const networkSelectorsOf = (object: KubeObject): JsonObject[] =>
  objectsAt(specOf(object), "networkSelectors");

/** What a network selector asks of the labels of ClusterUserDefinedNetworks. */
export const clusterNetworkSelector = (selector: JsonObject): unknown =>
  objectAt(selector, "clusterUserDefinedNetworkSelector")?.["networkSelector"];

/** The NetworkAttachmentDefinitions of ClusterUserDefinedNetworks that the selector chooses. Throws InvalidSelectorError. */
export function nadsOfSelectedClusterNetworks(selector: JsonObject, { nads }: NetworkSources): KubeObject[] {
  const labels = labelSelectorFromObject(clusterNetworkSelector(selector));
  return [...nads.list()].filter(
    (nad) => networkOwnerOf(nad)?.kind === CUDN_KIND && labels.matches(nad.metadata.labels),
  );
}

/** The primary NetworkAttachmentDefinitions of the namespaces that the selector chooses. Throws InvalidSelectorError. */
export function nadsOfSelectedNamespaces(selector: JsonObject, sources: NetworkSources): KubeObject[] {
  const chosen = objectAt(selector, "primaryUserDefinedNetworkSelector")?.["namespaceSelector"];
  const labels = labelSelectorFromObject(chosen);
  const namespaces = [...sources.namespaces.list()].filter(({ metadata }) => labels.matches(metadata.labels));
  const names = new Set(namespaces.map(({ metadata }) => metadata.name ?? ""));
  return [...sources.nads.list()].filter(({ metadata }) => names.has(metadata.namespace ?? ""));
}

/** The primary networks behind NetworkAttachmentDefinitions, by their names. */
export function primaryNetworks(nads: readonly KubeObject[]): SelectedNetwork[] {
  const found = new Map<string, { conf: NetConf; nads: KubeObject[] }>();
  for (const nad of [...new Set(nads)].sort(byNamespace)) {
    const conf = readNetConf(nad);
    if (!conf || !isPrimary(conf)) continue;
    const known = found.get(conf.name);
    if (known) known.nads.push(nad);
    else found.set(conf.name, { conf, nads: [nad] });
  }
  return [...found.values()].sort((a, b) => (a.conf.name < b.conf.name ? -1 : 1));
}

function byNamespace(a: KubeObject, b: KubeObject): number {
  return (a.metadata.namespace ?? "") < (b.metadata.namespace ?? "") ? -1 : 1;
}
