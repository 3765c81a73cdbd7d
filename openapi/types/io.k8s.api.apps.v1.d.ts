// Written by `npm run types` from the schemas; do not edit.
import type { PersistentVolumeClaim, PodTemplateSpec } from "./io.k8s.api.core.v1.d.ts";
import type { LabelSelector, ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";
import type { RawExtension } from "./io.k8s.apimachinery.pkg.runtime.d.ts";
import type { IntOrString } from "./io.k8s.apimachinery.pkg.util.intstr.d.ts";

/** One state of a controller's template, kept to go back to; its data cannot change. */
export interface ControllerRevision {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "apps/v1";
  /** The state, in a form that only the controller understands. */
  data?: RawExtension;
  /** Name of the type that this object has. */
  kind: "ControllerRevision";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Number of the state; later ones are greater. */
  revision?: number;
}

/** Keeps one pod on each node that fits. */
export interface DaemonSet {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "apps/v1";
  /** Name of the type that this object has. */
  kind: "DaemonSet";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What should run on the nodes, and how it is replaced. */
  spec?: DaemonSetSpec;
  /** What was last seen of the daemon set. */
  status?: DaemonSetStatus;
}

/** One named state of a daemon set. */
export interface DaemonSetCondition {
  /** When the status last changed. */
  lastTransitionTime?: Time;
  /** Details for people. */
  message?: string;
  /** Word for the cause of the last change. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the state. */
  type?: string;
}

/** What a daemon set should run on the nodes, and how it is replaced. */
export interface DaemonSetSpec {
  /** Seconds for which a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** How many old revisions are kept to go back to; 10 unless said otherwise. */
  revisionHistoryLimit?: number;
  /** The pods that count, by label; must fit the template's labels and cannot change. */
  selector: LabelSelector;
  /** What each pod is made from; its node selector decides which nodes fit. */
  template?: PodTemplateSpec;
  /** How old pods are replaced by new ones. */
  updateStrategy?: DaemonSetUpdateStrategy;
}

/** What was last seen of a daemon set. */
export interface DaemonSetStatus {
  /** How often the name of a new revision was taken. */
  collisionCount?: number;
  /** Named states of the daemon set. */
  conditions?: DaemonSetCondition[];
  /** How many nodes run the pod that should run it. */
  currentNumberScheduled?: number;
  /** How many nodes should run the pod. */
  desiredNumberScheduled?: number;
  /** How many nodes have a pod that has been ready for long enough. */
  numberAvailable?: number;
  /** How many nodes run the pod that should not. */
  numberMisscheduled?: number;
  /** How many nodes have a ready pod. */
  numberReady?: number;
  /** How many nodes should have an available pod and have none. */
  numberUnavailable?: number;
  /** Generation that the controller has seen. */
  observedGeneration?: number;
  /** How many nodes run a pod of the newest template. */
  updatedNumberScheduled?: number;
}

/** How a daemon set replaces old pods by new ones. */
export interface DaemonSetUpdateStrategy {
  /** Settings of a rolling update; only with that type. */
  rollingUpdate?: RollingUpdateDaemonSet;
  /** RollingUpdate replaces pods node by node; OnDelete waits until somebody deletes them. */
  type?: "OnDelete" | "RollingUpdate";
}

/** Keeps a number of like pods and replaces them step by step when their template changes. */
export interface Deployment {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "apps/v1";
  /** Name of the type that this object has. */
  kind: "Deployment";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What should run, and how it is replaced. */
  spec?: DeploymentSpec;
  /** What was last seen of the deployment. */
  status?: DeploymentStatus;
}

/** One named state of a deployment. */
export interface DeploymentCondition {
  /** When the status last changed. */
  lastTransitionTime?: Time;
  /** When the state was last written. */
  lastUpdateTime?: Time;
  /** Details for people. */
  message?: string;
  /** Word for the cause of the last change. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the state. */
  type?: string;
}

/** What a deployment should run, and how it is replaced. */
export interface DeploymentSpec {
  /** Seconds for which a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** Whether changes of the template are not acted on for now. */
  paused?: boolean;
  /** Seconds without progress after which the deployment is reported as failed. */
  progressDeadlineSeconds?: number;
  /** How many pods should run; 1 unless said otherwise. */
  replicas?: number;
  /** How many old replica sets are kept to go back to; 10 unless said otherwise. */
  revisionHistoryLimit?: number;
  /** The pods that count, by label; must fit the template's labels and cannot change. */
  selector: LabelSelector;
  /** How old pods are replaced by new ones. */
  strategy?: DeploymentStrategy;
  /** What each pod is made from; its restart policy can only be Always. */
  template?: PodTemplateSpec;
}

/** What was last seen of a deployment. */
export interface DeploymentStatus {
  /** How many pods have been ready for long enough. */
  availableReplicas?: number;
  /** How often the name of a new replica set was taken. */
  collisionCount?: number;
  /** Named states of the deployment. */
  conditions?: DeploymentCondition[];
  /** Generation that the controller has seen. */
  observedGeneration?: number;
  /** How many pods are ready. */
  readyReplicas?: number;
  /** How many pods there are that do not end. */
  replicas?: number;
  /** How many pods are ending. */
  terminatingReplicas?: number;
  /** How many pods are still missing for the wanted number to be available. */
  unavailableReplicas?: number;
  /** How many pods are of the newest template. */
  updatedReplicas?: number;
}

/** How a deployment replaces old pods by new ones. */
export interface DeploymentStrategy {
  /** Settings of a rolling update; only with that type. */
  rollingUpdate?: RollingUpdateDeployment;
  /** Recreate ends all old pods first; RollingUpdate replaces them step by step. */
  type?: "Recreate" | "RollingUpdate";
}

/** Keeps a number of like pods. */
export interface ReplicaSet {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "apps/v1";
  /** Name of the type that this object has. */
  kind: "ReplicaSet";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What should run, and how often. */
  spec?: ReplicaSetSpec;
  /** What was last seen of the replica set. */
  status?: ReplicaSetStatus;
}

/** One named state of a replica set. */
export interface ReplicaSetCondition {
  /** When the status last changed. */
  lastTransitionTime?: Time;
  /** Details for people. */
  message?: string;
  /** Word for the cause of the last change. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the state. */
  type?: string;
}

/** What a replica set should run, and how often. */
export interface ReplicaSetSpec {
  /** Seconds for which a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** How many pods should run; 1 unless said otherwise. */
  replicas?: number;
  /** The pods that count, by label; must fit the template's labels and cannot change. */
  selector: LabelSelector;
  /** What each missing pod is made from. */
  template?: PodTemplateSpec;
}

/** What was last seen of a replica set. */
export interface ReplicaSetStatus {
  /** How many pods have been ready for long enough. */
  availableReplicas?: number;
  /** Named states of the replica set. */
  conditions?: ReplicaSetCondition[];
  /** How many pods have all labels of the template. */
  fullyLabeledReplicas?: number;
  /** Generation that the controller has seen. */
  observedGeneration?: number;
  /** How many pods are ready. */
  readyReplicas?: number;
  /** How many pods there are that do not end. */
  replicas?: number;
  /** How many pods are ending. */
  terminatingReplicas?: number;
}

/** Settings of the rolling update of a daemon set. */
export interface RollingUpdateDaemonSet {
  /** How many nodes may run an old and a new pod at once, as a number or a percentage. */
  maxSurge?: IntOrString;
  /** How many nodes may be without a pod, as a number or a percentage. */
  maxUnavailable?: IntOrString;
}

/** Settings of the rolling update of a deployment. */
export interface RollingUpdateDeployment {
  /** How many pods may run beyond the wanted number, as a number or a percentage. */
  maxSurge?: IntOrString;
  /** How many of the wanted pods may be missing, as a number or a percentage. */
  maxUnavailable?: IntOrString;
}

/** Settings of the rolling update of a stateful set. */
export interface RollingUpdateStatefulSetStrategy {
  /** How many pods may be missing, as a number or a percentage; 1 unless said otherwise. */
  maxUnavailable?: IntOrString;
  /** Number of the first pod that is replaced; those below stay. */
  partition?: number;
}

/** Keeps pods that have fixed names and volumes of their own. */
export interface StatefulSet {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "apps/v1";
  /** Name of the type that this object has. */
  kind: "StatefulSet";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What should run, and how it is replaced. */
  spec?: StatefulSetSpec;
  /** What was last seen of the stateful set. */
  status?: StatefulSetStatus;
}

/** One named state of a stateful set. */
export interface StatefulSetCondition {
  /** When the status last changed. */
  lastTransitionTime?: Time;
  /** Details for people. */
  message?: string;
  /** Word for the cause of the last change. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** Name of the state. */
  type?: string;
}

/** How the pods of a stateful set are numbered. */
export interface StatefulSetOrdinals {
  /** Number of the first pod; 0 unless said otherwise. */
  start?: number;
}

/** What becomes of volume claims that are not needed any more. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /** Retain keeps the claims when the stateful set is deleted; Delete deletes them. */
  whenDeleted?: string;
  /** Retain keeps the claims when the stateful set shrinks; Delete deletes them. */
  whenScaled?: string;
}

/** What a stateful set should run, and how it is replaced. */
export interface StatefulSetSpec {
  /** Seconds for which a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** How the pods are numbered. */
  ordinals?: StatefulSetOrdinals;
  /** What becomes of the volume claims that are not needed any more. */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  /** OrderedReady makes and ends pods one after another; Parallel all at once. */
  podManagementPolicy?: "OrderedReady" | "Parallel";
  /** How many pods should run; 1 unless said otherwise. */
  replicas?: number;
  /** How many old revisions are kept to go back to; 10 unless said otherwise. */
  revisionHistoryLimit?: number;
  /** The pods that count, by label; must fit the template's labels and cannot change. */
  selector: LabelSelector;
  /** Name of the service that gives the pods their names in DNS. */
  serviceName?: string;
  /** What each pod is made from. */
  template?: PodTemplateSpec;
  /** How old pods are replaced by new ones. */
  updateStrategy?: StatefulSetUpdateStrategy;
  /** Volume claims that each pod gets for itself. */
  volumeClaimTemplates?: PersistentVolumeClaim[];
}

/** What was last seen of a stateful set. */
export interface StatefulSetStatus {
  /** How many pods have been ready for long enough. */
  availableReplicas?: number;
  /** How often the name of a new revision was taken. */
  collisionCount?: number;
  /** Named states of the stateful set. */
  conditions?: StatefulSetCondition[];
  /** How many pods are of the current revision. */
  currentReplicas?: number;
  /** Revision of the pods that have not been replaced yet. */
  currentRevision?: string;
  /** Generation that the controller has seen. */
  observedGeneration?: number;
  /** How many pods are ready. */
  readyReplicas?: number;
  /** How many pods there are. */
  replicas?: number;
  /** Revision of the pods that have been replaced. */
  updateRevision?: string;
  /** How many pods are of the newest revision. */
  updatedReplicas?: number;
}

/** How a stateful set replaces old pods by new ones. */
export interface StatefulSetUpdateStrategy {
  /** Settings of a rolling update; only with that type. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  /** RollingUpdate replaces pods one by one; OnDelete waits until somebody deletes them. */
  type?: "OnDelete" | "RollingUpdate";
}
