// The cluster objects that validation reads, from informers. Lists are sorted by name, so the first error is deterministic.
import type { LabelSelector } from "../../../apimachinery/meta/label-selector.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { keyOfObject } from "../../../controller/api.ts";
import type { KitWith } from "../../../controller/definition.ts";
import { indexBy, namespaceOf } from "../../../controller/nested-map.ts";
import { lacksNetwork } from "./status-manager.ts";

type Informers = KitWith<"nodes" | "namespaces" | "pods" | "attachments" | "AdminPolicyBasedExternalRoute">;

export type ZoneWorld = ReturnType<typeof zoneWorld>;

export function zoneWorld(kit: Informers) {
  const pods = indexBy(kit.pods, namespaceOf);
  const attachments = indexBy(kit.attachments, namespaceOf);
  return {
    nodes: (selector: LabelSelector) => select(kit.nodes.list(), selector),
    hasNamespace: (name: string) => kit.namespaces.get(name) !== undefined,
    namespaces: (selector: LabelSelector) => select(kit.namespaces.list(), selector),
    pods: (namespace: string, selector: LabelSelector) => select(pods.of(namespace).values(), selector),
    /** NetworkAttachmentDefinitions of the namespace, or of all. */
    attachments: (namespace: string | undefined, selector: LabelSelector) =>
      select(namespace === undefined ? kit.attachments.list() : attachments.of(namespace).values(), selector),
    lacksNetwork: (namespace: string) =>
      lacksNetwork(kit.namespaces.get(namespace), attachments.of(namespace).values()),
    externalRoutes: () => [...kit.AdminPolicyBasedExternalRoute.list()],
  };
}

function select(objects: Iterable<KubeObject>, selector: LabelSelector): KubeObject[] {
  const found = [...objects].filter(({ metadata }) => selector.matches(metadata.labels));
  return found.sort((a, b) => (keyOfObject(a) < keyOfObject(b) ? -1 : 1));
}
