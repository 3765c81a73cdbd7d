// Written by `npm run types` from the schemas; do not edit.
import type { Condition, DeleteOptions, LabelSelector, ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";
import type { IntOrString } from "./io.k8s.apimachinery.pkg.util.intstr.d.ts";

/** Asks a pod to leave its node. It is posted and not stored. */
export interface Eviction {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "policy/v1";
  /** How the pod is to be deleted. */
  deleteOptions?: DeleteOptions;
  /** Name of the type that this object has. */
  kind: "Eviction";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
}

/** How many pods of an application may be away at a time because somebody wants it so. */
export interface PodDisruptionBudget {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "policy/v1";
  /** Name of the type that this object has. */
  kind: "PodDisruptionBudget";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** Which pods are meant, and how many must stay. */
  spec?: PodDisruptionBudgetSpec;
  /** How many may go now. */
  status?: PodDisruptionBudgetStatus;
}

/** Which pods are meant, and how many must stay. */
export interface PodDisruptionBudgetSpec {
  /** How many pods, or how much of all, may be away; not together with minAvailable. */
  maxUnavailable?: IntOrString;
  /** How many pods, or how much of all, must stay; not together with maxUnavailable. */
  minAvailable?: IntOrString;
  /** The pods, by label; an empty selector takes all of the namespace. */
  selector?: LabelSelector;
  /** Whether pods that run and are not ready may always go. */
  unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget";
}

/** How many pods may go now. */
export interface PodDisruptionBudgetStatus {
  /** Named states of the budget. */
  conditions?: Condition[];
  /** How many are healthy. */
  currentHealthy?: number;
  /** How many must be healthy. */
  desiredHealthy?: number;
  /** Pods that were let go and are not gone yet, and when that was. */
  disruptedPods?: { [key: string]: Time };
  /** How many may go now. */
  disruptionsAllowed?: number;
  /** How many there should be. */
  expectedPods?: number;
  /** Generation that the controller has seen. */
  observedGeneration?: number;
}
