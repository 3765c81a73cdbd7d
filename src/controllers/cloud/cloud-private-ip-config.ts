// CloudPrivateIPConfig objects as their controllers read them: each asks the cloud for one address on one node, and its
// name is the address.
import { type IpAddress, parseIp } from "../../meta/ip.ts";
import { objectAt, objectsAt, textAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { resourceIn } from "../kit/api.ts";

export const CLOUD_PRIVATE_IP_CONFIGS = resourceIn(
  "cloud.network.openshift.io",
  "v1",
  "cloudprivateipconfigs",
);
/** Keeps an object until the cloud has released its address. */
export const FINALIZER = "cloudprivateipconfig.cloud.network.openshift.io/finalizer";
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

/** True if the cloud says that what it was last asked for is done; only its first condition is looked at. */
export function isDone({ status }: CloudPrivateIpConfig): boolean {
  const [first] = status.conditions;
  return first?.type === "Assigned" && first.status === "True";
}

/** IPv4 as it is; IPv6 in eight full groups joined by dots: fc00.f853.0ccd.e793.0000.0000.0000.0054. */
export function nameOfAddress({ family, value, text }: IpAddress): string {
  if (family === 4) return text;
  const digits = value.toString(16).padStart(32, "0");
  return (digits.match(/.{4}/g) ?? []).join(".");
}
