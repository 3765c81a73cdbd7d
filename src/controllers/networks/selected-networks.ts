// The primary networks that network selectors choose, as other kinds name them: the ClusterUserDefinedNetworks with a
// label, or whatever is the primary network of namespaces with a label.
import type { Informer } from "../../client/informer.ts";
import { isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import { labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { isPrimary, type NetConf, readNetConf } from "./net-conf.ts";
import { CUDN_KIND, networkOwnerOf } from "./owners.ts";

export interface SelectedNetwork {
  readonly conf: NetConf;
  /** Its NetworkAttachmentDefinitions, by namespace. */
  readonly nads: readonly KubeObject[];
}

export interface NetworkSources {
  readonly nads: Informer;
  readonly namespaces: Informer;
}

export const networkSelectorsOf = ({ spec }: KubeObject): JsonObject[] => {
  const selectors = isObject(spec) ? spec["networkSelectors"] : undefined;
  return Array.isArray(selectors) ? selectors.filter(isObject) : [];
};

/** The NetworkAttachmentDefinitions of ClusterUserDefinedNetworks that the selector chooses. Throws InvalidSelectorError. */
export function nadsOfSelectedClusterNetworks(selector: JsonObject, { nads }: NetworkSources): KubeObject[] {
  const chosen = objectAt(selector, "clusterUserDefinedNetworkSelector")?.["networkSelector"];
  const labels = labelSelectorFromObject(chosen);
  return [...nads.list()].filter(
    (nad) => networkOwnerOf(nad)?.kind === CUDN_KIND && labels.matches(nad.metadata.labels),
  );
}

/** The primary NetworkAttachmentDefinitions of the namespaces that the selector chooses. Throws InvalidSelectorError. */
export function nadsOfSelectedNamespaces(selector: JsonObject, sources: NetworkSources): KubeObject[] {
  const chosen = objectAt(selector, "primaryUserDefinedNetworkSelector")?.["namespaceSelector"];
  const labels = labelSelectorFromObject(chosen);
  const namespaces = new Set<string>();
  for (const { metadata } of sources.namespaces.list()) {
    if (labels.matches(metadata.labels)) namespaces.add(metadata.name ?? "");
  }
  return [...sources.nads.list()].filter(({ metadata }) => namespaces.has(metadata.namespace ?? ""));
}

/** The primary networks behind NetworkAttachmentDefinitions, by their names. */
export function primaryNetworks(nads: readonly KubeObject[]): SelectedNetwork[] {
  const found = new Map<string, { conf: NetConf; nads: KubeObject[] }>();
  for (const nad of [...nads].sort(byNamespace)) {
    const conf = readNetConf(nad);
    if (!conf || !isPrimary(conf)) continue;
    const known = found.get(conf.name);
    if (!known) found.set(conf.name, { conf, nads: [nad] });
    else if (!known.nads.includes(nad)) known.nads.push(nad);
  }
  return [...found.values()].sort((a, b) => (a.conf.name < b.conf.name ? -1 : 1));
}

function byNamespace(a: KubeObject, b: KubeObject): number {
  return (a.metadata.namespace ?? "") < (b.metadata.namespace ?? "") ? -1 : 1;
}
