import { objectAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import { type AdmittingPlugin, isAbout, type PluginDeps, storedNode } from "./about.ts";

const TOPOLOGY_LABELS = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/**
 * Copies the topology labels of the node to a Pod that is assigned to it, replacing the Pod's own. Without a stored node
 * the labels do not change.
 */
export const createPodTopologyLabels = ({ store }: PluginDeps): AdmittingPlugin => ({
  name: "PodTopologyLabels",
  admit(attributes) {
    const { operation, object } = attributes;
    const node = operation === "CREATE" && object ? nodeOf(attributes, object) : "";
    if (object && node !== "") labelByNode(object, storedNode(store, node));
  },
});

/** The node of a new Pod, or the target of a Binding; "" for all other requests. */
function nodeOf(attributes: AdmissionAttributes, object: KubeObject): string {
  if (isAbout(attributes, "", "pods")) return textAt(objectAt(object, "spec"), "nodeName");
  const { group, resource } = attributes.view.definition;
  if (group !== "" || resource !== "pods" || attributes.subresource !== "binding") return "";
  const target = objectAt(object, "target");
  return textAt(target, "kind") === "Node" ? textAt(target, "name") : "";
}

/** Sets the topology labels of a Pod or a Binding. */
function labelByNode({ metadata }: KubeObject, node: Readonly<KubeObject> | undefined): void {
  const labels = node?.metadata.labels;
  for (const key of TOPOLOGY_LABELS) {
    const value = labels?.[key];
    if (value !== undefined) metadata.labels = { ...metadata.labels, [key]: value };
  }
}
