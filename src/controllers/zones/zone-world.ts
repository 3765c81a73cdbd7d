// What an agent on a node sees of the cluster beside the object that it has to put into force.
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { PrimaryNetwork } from "../status-manager/primary-network.ts";

/** Lists are sorted by name, so that what is complained of first does not depend on chance. */
export interface ZoneWorld {
  nodes(selector: LabelSelector): readonly KubeObject[];
  hasNamespace(name: string): boolean;
  namespaces(selector: LabelSelector): readonly KubeObject[];
  pods(namespace: string, selector: LabelSelector): readonly KubeObject[];
  /** NetworkAttachmentDefinitions of the namespace, or of all. */
  attachments(namespace: string | undefined, selector: LabelSelector): readonly KubeObject[];
  primaryNetwork(namespace: string): PrimaryNetwork;
  externalRoutes(): readonly KubeObject[];
}
