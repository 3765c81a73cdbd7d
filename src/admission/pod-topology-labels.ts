// The PodTopologyLabels admission plugin: a pod that gets a node gets the labels that say where the node stands, in place
// of its own. A node that is not there has none.
import { objectAt } from "../meta/json.ts";
import type { KubeObject } from "../meta/object-meta.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import type { KeyValue, Store } from "../storage/store.ts";

const NODES = "/registry/minions/";
const LABELS = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

export function createPodTopologyLabels(store: Store): AdmissionPlugin {
  return {
    name: "PodTopologyLabels",
    admit({ operation, view, subresource, object }): void {
      const { group, resource } = view.definition;
      if (operation !== "CREATE" || subresource !== "" || group !== "" || resource !== "pods") return;
      const node = objectAt(object, "spec")?.["nodeName"];
      if (!object || typeof node !== "string" || node === "") return;
      labelByNode(object, store.get(NODES + node));
    },
  };
}

/** Sets the labels of an object that belongs to a node: a pod, or what gives it there. */
export function labelByNode({ metadata }: KubeObject, node: KeyValue | undefined): void {
  const labels = node && decodeStored(node).metadata.labels;
  for (const key of LABELS) {
    const value = labels?.[key];
    if (value !== undefined) metadata.labels = { ...metadata.labels, [key]: value };
  }
}
