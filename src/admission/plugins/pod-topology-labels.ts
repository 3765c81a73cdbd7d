import { objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { AdmissionAttributes } from "../../registry/admission.ts";
import { type AdmittingPlugin, isAbout, type PluginDeps, storedNode } from "./about.ts";

const TOPOLOGY_LABELS = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/**
 * A pod that gets a node gets the labels that say where the node stands, in place of its own. A node that is not there
 * has none.
 */
export const createPodTopologyLabels = ({ store }: PluginDeps): AdmittingPlugin => ({
  name: "PodTopologyLabels",
  admit(attributes) {
    const { operation, object } = attributes;
    const node = operation === "CREATE" && object ? nodeOf(attributes, object) : "";
    if (object && node !== "") labelByNode(object, storedNode(store, node));
  },
});

/** The name of the node that a new pod has, or that a Binding gives to its pod; "" for all other requests. */
function nodeOf(attributes: AdmissionAttributes, object: KubeObject): string {
  if (isAbout(attributes, "", "pods")) return textAt(objectAt(object, "spec"), "nodeName");
  const { group, resource } = attributes.view.definition;
  if (group !== "" || resource !== "pods" || attributes.subresource !== "binding") return "";
  const target = objectAt(object, "target");
  return textAt(target, "kind") === "Node" ? textAt(target, "name") : "";
}

/** Sets the labels of an object that belongs to a node: a pod, or what gives it there. */
function labelByNode({ metadata }: KubeObject, node: Readonly<KubeObject> | undefined): void {
  const labels = node?.metadata.labels;
  for (const key of TOPOLOGY_LABELS) {
    const value = labels?.[key];
    if (value !== undefined) metadata.labels = { ...metadata.labels, [key]: value };
  }
}
