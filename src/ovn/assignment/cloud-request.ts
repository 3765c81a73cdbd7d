// CloudPrivateIPConfigs: each requests one address on one node, and its name is the address (src/ovn/rules.md R101).

import { objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { parseIp } from "../../apimachinery/meta/ip.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";

export const OWNER_ANNOTATION = "k8s.ovn.org/egressip-owner-ref";

export type CloudPrivateIpConfig = Readonly<ReturnType<typeof readCloudPrivateIpConfig>>;

export function readCloudPrivateIpConfig(object: KubeObject) {
  const { name = "", annotations, deletionTimestamp, finalizers = [], generation = 0 } = object.metadata;
  const status = objectAt(object, "status");
  return {
    object,
    name,
    /** Canonical address; undefined if the name is not an address. */
    address: (parseIp(name) ?? parseIp(name.replaceAll(".", ":")))?.text,
    /** spec.node: the requested node. */
    node: textAt(objectAt(object, "spec"), "node"),
    /** Name of the owning EgressIP. */
    owner: annotations?.[OWNER_ANNOTATION],
    deleting: deletionTimestamp !== undefined,
    finalizers,
    generation,
    /** The cloud's response; an empty node and no condition before the first response. */
    status: {
      node: textAt(status, "node"),
      conditions: objectsAt(status, "conditions").map((condition) => ({
        type: textAt(condition, "type"),
        status: textAt(condition, "status"),
        message: textAt(condition, "message"),
      })),
    },
  };
}
