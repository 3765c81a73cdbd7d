// The owners of a workload's pods: DaemonSets, Deployments and their ReplicaSets.
import type { KubeObject, OwnerReference } from "../../../src/apimachinery/meta/object-meta.ts";
import { dumped, uidOf } from "./object.ts";
import type { Workload } from "./pods.ts";

const ROLLING = { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } };
const ROLLING_NODES = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };

/** The owners of a workload's pods that are part of the dump. */
export function ownersOf(workload: Workload): KubeObject[] {
  const { kind } = workload;
  if (kind === "DaemonSet") return [daemonSet(workload)];
  if (kind === "none") return [];
  const owned = replicaSet(workload); // before its owner: objects are numbered in the order of their creation
  return kind === "ReplicaSet" ? [owned] : [deployment(workload), owned];
}

function workloadSpec({ name }: Workload) {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: {
      containers: [
        {
          ...{ name: "main", image: `registry.example.com/${name}:1`, imagePullPolicy: "IfNotPresent" },
          ...{
            resources: {},
            terminationMessagePath: "/dev/termination-log",
            terminationMessagePolicy: "File",
          },
        },
      ],
      ...{ schedulerName: "default-scheduler", securityContext: {} },
      ...{ restartPolicy: "Always", terminationGracePeriodSeconds: 30, dnsPolicy: "ClusterFirst" },
    },
  };
  return { selector: { matchLabels: labels }, template };
}

function daemonSet(workload: Workload): KubeObject {
  const { namespace, name, replicas } = workload;
  const counts = {
    currentNumberScheduled: replicas,
    desiredNumberScheduled: replicas,
    numberReady: replicas,
  };
  return dumped(
    "apps/v1",
    "DaemonSet",
    { namespace, name },
    {
      ...{ generation: 3, annotations: { "deprecated.daemonset.template.generation": "3" } },
      labels: { app: name },
    },
    {
      spec: { ...workloadSpec(workload), revisionHistoryLimit: 10, updateStrategy: ROLLING_NODES },
      status: { ...counts, numberMisscheduled: 0, numberAvailable: replicas, observedGeneration: 3 },
    },
  );
}

const replicaCounts = ({ replicas }: Workload) => ({
  ...{ replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: 2 },
});

function replicaSet(workload: Workload): KubeObject {
  const { namespace, name, replicas } = workload;
  const owner = {
    ...{ apiVersion: "apps/v1", kind: "Deployment", name },
    uid: uidOf("Deployment", namespace, name),
  };
  return dumped(
    "apps/v1",
    "ReplicaSet",
    { namespace, name: `${name}-5d6f` },
    {
      ...{ generation: 2, labels: { app: name, "pod-template-hash": "5d6f" } },
      ownerReferences: [controlledBy(owner)],
    },
    {
      spec: { ...workloadSpec(workload), replicas },
      status: { ...replicaCounts(workload), fullyLabeledReplicas: replicas },
    },
  );
}

function deployment(workload: Workload): KubeObject {
  const { namespace, name, replicas } = workload;
  return dumped(
    "apps/v1",
    "Deployment",
    { namespace, name },
    { generation: 2, labels: { app: name } },
    {
      spec: {
        ...{ ...workloadSpec(workload), replicas, progressDeadlineSeconds: 600 },
        ...{ revisionHistoryLimit: 10, strategy: ROLLING },
      },
      status: { ...replicaCounts(workload), updatedReplicas: replicas },
    },
  );
}

export const controlledBy = (
  owner: Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">,
): OwnerReference => ({
  ...owner,
  ...{ controller: true, blockOwnerDeletion: true },
});
