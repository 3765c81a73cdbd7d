// The kind of objects in a file or folder, by the name that tools give it. Serialized lists of Go types contain neither
// their own kind nor that of their items.
import { lookupTable } from "../../../../apimachinery/json/json.ts";
import { pluralOf } from "../../../../apimachinery/meta/names.ts";
import type { Place } from "../source.ts";

/** "apps/v1 Deployment": kinds whose plural is unambiguous as a file name. */
const KINDS: readonly (readonly [apiVersion: string, kinds: string])[] = [
  ["v1", "Node Namespace Pod Service Event ConfigMap Secret ServiceAccount"],
  ["v1", "ReplicationController LimitRange ResourceQuota PersistentVolume PersistentVolumeClaim"],
  ["apps/v1", "Deployment ReplicaSet StatefulSet DaemonSet"],
  ["batch/v1", "Job CronJob"],
  ["discovery.k8s.io/v1", "EndpointSlice"],
  ["networking.k8s.io/v1", "NetworkPolicy Ingress IngressClass"],
  ["coordination.k8s.io/v1", "Lease"],
  ["rbac.authorization.k8s.io/v1", "ClusterRole ClusterRoleBinding Role RoleBinding"],
  ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
  ["storage.k8s.io/v1", "StorageClass VolumeAttachment CSINode CSIDriver"],
  ["autoscaling/v2", "HorizontalPodAutoscaler"],
  ["policy/v1", "PodDisruptionBudget"],
  ["scheduling.k8s.io/v1", "PriorityClass"],
];

/** Without word separators: tools write "network-policy", "replication-controllers", "storage-classes". */
const plain = (name: string): string => name.toLowerCase().replace(/[-_]/g, "");

const BY_NAME = lookupTable<string>({
  ...Object.fromEntries(
    KINDS.flatMap(([apiVersion, kinds]) =>
      kinds
        .split(" ")
        .flatMap((kind) =>
          [pluralOf(kind), kind.toLowerCase()].map((name) => [name, `${apiVersion} ${kind}`]),
        ),
    ),
  ),
  // Names that are no plurals of their kind.
  endpoints: "v1 Endpoints",
  pvs: "v1 PersistentVolume",
  pvcs: "v1 PersistentVolumeClaim",
});

/** For "pods/shop" or "pods": the first folder counts. undefined: the name implies no kind. */
export function kindOfFile(name: string): Place | undefined {
  const said = BY_NAME[plain(name.split("/")[0] ?? "")];
  if (said === undefined) return undefined;
  const [apiVersion = "", kind = ""] = said.split(" ");
  return { apiVersion, kind };
}
