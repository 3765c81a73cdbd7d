// PodResizeValidator: a pod that runs on a node may ask for more only if that node is there, runs Linux, and has so much
// (plugin/pkg/admission/podresize).
import type { Amount } from "../../go/quantity.ts";
import { objectAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import type { StatusCause } from "../../meta/status.ts";
import { type Amounts, readAmounts } from "../../quota/amounts.ts";
import { podResourcesWithOverhead } from "../../quota/pod-resources.ts";
import type { AdmissionAttributes } from "../../registry/admission.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import { refuse } from "../request.ts";
import type { PluginDeps, ValidatingPlugin } from "./about.ts";

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
    const stored = store.get(`/registry/minions/${nodeName}`);
    if (stored === undefined) throw refuse(attributes, `node ${JSON.stringify(nodeName)} not found`);
    checkNode(attributes, object, decodeStored(stored));
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
  const missing = [
    lack("cpu", requested, allocatable, NANOS_OF_MILLI),
    lack("memory", requested, allocatable, NANOS),
  ];
  const told = missing.filter((text) => text !== undefined);
  if (told.length === 0) return;
  const why = `node didn't have enough allocatable resources: ${told.join("; ")}`;
  throw refuse(attributes, why, causedBy("NodeCapacity"));
}

const NANOS = 1_000_000_000n;
const NANOS_OF_MILLI = 1_000_000n;

/** Both amounts in the unit that counts so many nanos, rounded up; undefined: there is enough. */
function lack(name: string, requested: Amounts, allocatable: Amounts, unit: bigint): string | undefined {
  const [wanted, there] = [nanosOf(requested.get(name)), nanosOf(allocatable.get(name))];
  if (wanted <= there) return undefined;
  const shown = (nanos: bigint): bigint => (nanos + unit - 1n) / unit;
  return `${name}, requested: ${shown(wanted)}, allocatable: ${shown(there)}`;
}

const nanosOf = (amount: Amount | undefined): bigint => amount?.nanos ?? 0n;

const causedBy = (reason: string): StatusCause[] => [{ reason }];
