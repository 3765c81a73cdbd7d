// Written by `npm run types` from the schemas; do not edit.
import type { ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** An object of any kind in the same namespace. */
export interface CrossVersionObjectReference {
  /** Version of the API of the object, as group/version. */
  apiVersion?: string;
  /** Type of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
}

/** Keeps the number of pods in step with their load, measured by their use of CPU. */
export interface HorizontalPodAutoscaler {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "autoscaling/v1";
  /** Name of the type that this object has. */
  kind: "HorizontalPodAutoscaler";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is scaled, and how far. */
  spec?: HorizontalPodAutoscalerSpec;
  /** What the autoscaler has found and done. */
  status?: HorizontalPodAutoscalerStatus;
}

/** What an autoscaler scales, and how far. */
export interface HorizontalPodAutoscalerSpec {
  /** The most pods that it asks for. */
  maxReplicas?: number;
  /** The fewest pods that it asks for; 1 when left out. */
  minReplicas?: number;
  /** The object whose scale is set. */
  scaleTargetRef?: CrossVersionObjectReference;
  /** Mean use of CPU to aim at, in percent of what the pods request; 80 when nothing else is measured. */
  targetCPUUtilizationPercentage?: number;
}

/** What an autoscaler has found and done. */
export interface HorizontalPodAutoscalerStatus {
  /** Mean use of CPU as last seen, in percent of what the pods request. */
  currentCPUUtilizationPercentage?: number;
  /** Pods that there were when it looked last. */
  currentReplicas?: number;
  /** Pods that it asked for last. */
  desiredReplicas?: number;
  /** When it changed the number of pods last. */
  lastScaleTime?: Time;
  /** The metadata.generation of the autoscaler that this is about. */
  observedGeneration?: number;
}

/** How many copies of something are wanted and running. */
export interface Scale {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "autoscaling/v1";
  /** Name of the type that this object has. */
  kind: "Scale";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is wanted. */
  spec?: ScaleSpec;
  /** What is running. */
  status?: ScaleStatus;
}

/** The wanted number of copies. */
export interface ScaleSpec {
  /** How many copies are wanted. */
  replicas?: number;
}

/** The present number of copies. */
export interface ScaleStatus {
  /** How many copies were seen. */
  replicas?: number;
  /** Labels by which the copies are found, as text. */
  selector?: string;
}
