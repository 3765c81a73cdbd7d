// CloudPrivateIPConfig objects: each asks the cloud for one address on one node, and its name is the address.
import { parseIp } from "../../meta/ip.ts";
import { objectAt, objectsAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";

export const OWNER_ANNOTATION = "k8s.ovn.org/egressip-owner-ref";

export type CloudPrivateIpConfig = Readonly<ReturnType<typeof readCloudPrivateIpConfig>>;

export function readCloudPrivateIpConfig(object: KubeObject) {
  const { name = "", annotations, deletionTimestamp, finalizers = [], generation = 0 } = object.metadata;
  const status = objectAt(object, "status");
  return {
    object,
    name,
    /** Canonical; undefined for a name that is none. */
    address: (parseIp(name) ?? parseIp(name.replaceAll(".", ":")))?.text,
    /** The node that the address is wanted on. */
    node: textAt(objectAt(object, "spec"), "node"),
    /** The EgressIP that asked for it. */
    owner: annotations?.[OWNER_ANNOTATION],
    deleting: deletionTimestamp !== undefined,
    finalizers,
    generation,
    /** What the cloud says: "" and no condition as long as it has said nothing. */
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
