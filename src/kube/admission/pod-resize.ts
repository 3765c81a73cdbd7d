// PodResizeValidator: an assigned Pod may request more resources only if its node exists, runs Linux, and has
// sufficient capacity (plugin/pkg/admission/podresize).
import { NOTHING } from "../../apimachinery/go/quantity.ts";
import { objectAt, textAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import type { StatusCause } from "../../apimachinery/meta/status.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes } from "../../apiserver/registry/admission.ts";
import { type Amounts, readAmounts, wholeUnits } from "../quota/amounts.ts";
import { podResourcesWithOverhead } from "../quota/pod-resources.ts";
import { type PluginDeps, storedNode, type ValidatingPlugin } from "./about.ts";

const OS_LABEL = "kubernetes.io/os";

export const createPodResize = ({ store }: PluginDeps): ValidatingPlugin => ({
  name: "PodResizeValidator",
  validate(attributes) {
    const { operation, view, subresource, object, oldObject } = attributes;
    const { group, resource } = view.definition;
    const isResize =
      operation === "UPDATE" && group === "" && resource === "pods" && subresource === "resize";
    const nodeName = textAt(objectAt(object, "spec"), "nodeName");
    if (!isResize || !object || nodeName === "") return;
    if (object.metadata?.generation === oldObject?.metadata?.generation) return;
    const node = storedNode(store, nodeName);
    if (node === undefined) throw refuse(attributes, `node ${JSON.stringify(nodeName)} not found`);
    checkNode(attributes, object, node);
  },
});

function checkNode(
  attributes: AdmissionAttributes,
  pod: Readonly<Partial<KubeObject>>,
  node: Readonly<KubeObject>,
): void {
  const { metadata } = node;
  const os = metadata.labels?.[OS_LABEL] ?? "linux";
  if (os !== "linux") {
    const why = `pod resize is only supported on linux nodes, node ${JSON.stringify(metadata.name)} is ${JSON.stringify(os)}`;
    throw refuse(attributes, why, causedBy("UnsupportedPlatform"));
  }
  const allocatable = readAmounts(objectAt(objectAt(node, "status"), "allocatable"));
  const requested = podResourcesWithOverhead(objectAt(pod, "spec") ?? {}, "requests");
  const missing = ["cpu", "memory"].flatMap((name) => lack(name, requested, allocatable));
  if (missing.length === 0) return;
  const why = `node didn't have enough allocatable resources: ${missing.join("; ")}`;
  throw refuse(attributes, why, causedBy("NodeCapacity"));
}

/** The requested and the allocatable amount of a resource that the node lacks. */
function lack(name: string, requested: Amounts, allocatable: Amounts): string[] {
  const wanted = requested.get(name) ?? NOTHING;
  const there = allocatable.get(name) ?? NOTHING;
  if (wanted.nanos <= there.nanos) return [];
  return [`${name}, requested: ${wholeUnits(name, wanted)}, allocatable: ${wholeUnits(name, there)}`];
}

const causedBy = (reason: string): StatusCause[] => [{ reason }];
