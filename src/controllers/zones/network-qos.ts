// Whether a NetworkQoS can be put into force on a node, and whether it concerns a network there is.
import { isObject, objectAt } from "../../meta/json.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { Complaint, complaintOf, inWords, selectorOf } from "./complaint.ts";
import type { ZoneWorld } from "./zone-world.ts";

/** What is wrong with the object, in full; undefined if nothing is. */
export function checkNetworkQos({ metadata, spec }: KubeObject): string | undefined {
  const content = isObject(spec) ? spec : {};
  const what = (reason: string, details: string): string =>
    `NetworkQoS ${metadata.namespace ?? ""}/${metadata.name ?? ""} - ${reason}, error details: ${details}`;
  const ofPods = complaintOf(() => void selectorOf(content["podSelector"]));
  if (ofPods !== undefined) return what("failed to parse source pod selector", ofPods);
  const rules: readonly unknown[] = Array.isArray(content["egress"]) ? content["egress"] : [];
  const ofRules = complaintOf(() => {
    for (const rule of rules) if (isObject(rule)) checkDestinations(objectAt(rule, "classifier")?.["to"]);
  });
  return ofRules === undefined ? undefined : what("failed to reconcile", ofRules);
}

function checkDestinations(destinations: unknown): void {
  for (const destination of (Array.isArray(destinations) ? destinations : []).filter(isObject)) {
    const { ipBlock, podSelector, namespaceSelector } = destination;
    if (ipBlock !== undefined && (podSelector !== undefined || namespaceSelector !== undefined)) {
      throw new Complaint("specifying both ipBlock and podSelector/namespaceSelector is not allowed");
    }
    inWords("error parsing destination namespace selector", () => selectorOf(namespaceSelector));
    inWords("error parsing destination pod selector", () => selectorOf(podSelector));
  }
}

/** True if some network on the nodes is the one that the object is for; nobody reports on it otherwise. */
export function concernsNetwork({ spec }: KubeObject, world: ZoneWorld): boolean {
  const selectors = isObject(spec) ? spec["networkSelectors"] : undefined;
  if (!Array.isArray(selectors) || selectors.length === 0) return true; // the cluster's own network
  try {
    return selectors.filter(isObject).some((selector) => selectsNetwork(selector, world));
  } catch (error) {
    if (error instanceof Complaint) return false;
    throw error;
  }
}

function selectsNetwork(selector: Record<string, unknown>, world: ZoneWorld): boolean {
  const type = selector["networkSelectionType"];
  if (type === "DefaultNetwork") return true;
  if (type === "ClusterUserDefinedNetworks") {
    const given = objectAt(selector, "clusterUserDefinedNetworkSelector");
    return world.attachments(undefined, selectorOf(given?.["networkSelector"])).some(isOfCluster);
  }
  if (type !== "NetworkAttachmentDefinitions") return false;
  const given = objectAt(selector, "networkAttachmentDefinitionSelector");
  const networks: LabelSelector = selectorOf(given?.["networkSelector"]);
  return world
    .namespaces(selectorOf(given?.["namespaceSelector"]))
    .some(({ metadata }) => world.attachments(metadata.name ?? "", networks).length > 0);
}

const isOfCluster = ({ metadata }: KubeObject): boolean =>
  (metadata.ownerReferences ?? []).some(
    ({ controller, kind, apiVersion }) =>
      controller === true && kind === "ClusterUserDefinedNetwork" && apiVersion === "k8s.ovn.org/v1",
  );
