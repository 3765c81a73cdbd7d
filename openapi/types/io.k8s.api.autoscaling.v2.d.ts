// Written by `npm run types` from the schemas; do not edit.
import type { Quantity } from "./io.k8s.apimachinery.pkg.api.resource.d.ts";
import type { LabelSelector, ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Use of a resource by one container of each pod, and its target. */
export interface ContainerResourceMetricSource {
  /** Name of the container. */
  container?: string;
  /** Name of the resource, such as cpu. */
  name?: string;
  /** The value to aim at. */
  target?: MetricTarget;
}

/** Use of a resource by one container of each pod, as it was last seen. */
export interface ContainerResourceMetricStatus {
  /** Name of the container. */
  container?: string;
  /** The value as last seen. */
  current?: MetricValueStatus;
  /** Name of the resource, such as cpu. */
  name?: string;
}

/** An object of any kind in the same namespace. */
export interface CrossVersionObjectReference {
  /** Version of the API of the object, as group/version. */
  apiVersion?: string;
  /** Type of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
}

/** A metric of something outside of the cluster, and its target. */
export interface ExternalMetricSource {
  /** Which metric it is. */
  metric?: MetricIdentifier;
  /** The value to aim at. */
  target?: MetricTarget;
}

/** A metric of something outside of the cluster, as it was last seen. */
export interface ExternalMetricStatus {
  /** The value as last seen. */
  current?: MetricValueStatus;
  /** Which metric it is. */
  metric?: MetricIdentifier;
}

/** How much may change in how much time. */
export interface HPAScalingPolicy {
  /** The time, in seconds; 1 to 1800. */
  periodSeconds?: number;
  /** What the value counts: Pods or Percent. */
  type?: string;
  /** The change that is allowed; more than 0. */
  value?: number;
}

/** Limits for one direction. */
export interface HPAScalingRules {
  /** How much may change in how much time. */
  policies?: HPAScalingPolicy[];
  /** Which of the policies counts: Max, the default, Min, or Disabled for no change in this direction. */
  selectPolicy?: string;
  /** For how long older recommendations still count, in seconds; 0 to 3600. */
  stabilizationWindowSeconds?: number;
  /** By how much a metric may differ from its target before anything is changed, as a share of the target. */
  tolerance?: Quantity;
}

/** Keeps the number of pods in step with their load, by any metrics. */
export interface HorizontalPodAutoscaler {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "autoscaling/v2";
  /** Name of the type that this object has. */
  kind: "HorizontalPodAutoscaler";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What is scaled, how far and by which metrics. */
  spec?: HorizontalPodAutoscalerSpec;
  /** What the autoscaler has found and done. */
  status?: HorizontalPodAutoscalerStatus;
}

/** How fast an autoscaler goes up and down. */
export interface HorizontalPodAutoscalerBehavior {
  /** Limits on the way down. */
  scaleDown?: HPAScalingRules;
  /** Limits on the way up. */
  scaleUp?: HPAScalingRules;
}

/** Whether something about an autoscaler holds. */
export interface HorizontalPodAutoscalerCondition {
  /** When the status changed last. */
  lastTransitionTime?: Time;
  /** For people: more about the reason. */
  message?: string;
  /** Why the status is what it is, as one word. */
  reason?: string;
  /** True, False or Unknown. */
  status?: string;
  /** What the condition is about. */
  type?: string;
}

/** What an autoscaler scales, how far and by which metrics. */
export interface HorizontalPodAutoscalerSpec {
  /** How fast it goes up and down. */
  behavior?: HorizontalPodAutoscalerBehavior;
  /** The most pods that it asks for. */
  maxReplicas?: number;
  /** What is measured; the metric that asks for most pods decides. CPU at 80 percent when left out. */
  metrics?: MetricSpec[];
  /** The fewest pods that it asks for; 1 when left out. */
  minReplicas?: number;
  /** The object whose scale is set. */
  scaleTargetRef?: CrossVersionObjectReference;
}

/** What an autoscaler has found and done. */
export interface HorizontalPodAutoscalerStatus {
  /** Named states of the autoscaler, such as AbleToScale. */
  conditions?: HorizontalPodAutoscalerCondition[];
  /** What was measured last. */
  currentMetrics?: MetricStatus[];
  /** Pods that there were when it looked last. */
  currentReplicas?: number;
  /** Pods that it asked for last. */
  desiredReplicas?: number;
  /** When it changed the number of pods last. */
  lastScaleTime?: Time;
  /** The metadata.generation of the autoscaler that this is about. */
  observedGeneration?: number;
}

/** Which metric is meant. */
export interface MetricIdentifier {
  /** Name of the metric. */
  name?: string;
  /** Labels that narrow the metric down. */
  selector?: LabelSelector;
}

/** One metric and its target. */
export interface MetricSpec {
  /** Use of a resource by one container of each pod. */
  containerResource?: ContainerResourceMetricSource;
  /** A metric of something outside of the cluster. */
  external?: ExternalMetricSource;
  /** A metric of one object. */
  object?: ObjectMetricSource;
  /** A metric of each pod. */
  pods?: PodsMetricSource;
  /** Use of a resource by each pod. */
  resource?: ResourceMetricSource;
  /** What is measured: Resource, ContainerResource, Pods, Object or External; the member of that name says more. */
  type?: string;
}

/** One metric as it was last seen. */
export interface MetricStatus {
  /** Use of a resource by one container of each pod. */
  containerResource?: ContainerResourceMetricStatus;
  /** A metric of something outside of the cluster. */
  external?: ExternalMetricStatus;
  /** A metric of one object. */
  object?: ObjectMetricStatus;
  /** A metric of each pod. */
  pods?: PodsMetricStatus;
  /** Use of a resource by each pod. */
  resource?: ResourceMetricStatus;
  /** What is measured: Resource, ContainerResource, Pods, Object or External; the member of that name says more. */
  type?: string;
}

/** The value that a metric should have. */
export interface MetricTarget {
  /** Mean over the pods, in percent of what they request; for resources only. */
  averageUtilization?: number;
  /** Mean over the pods. */
  averageValue?: Quantity;
  /** Which of the other members counts: Utilization, Value or AverageValue. */
  type?: string;
  /** The value itself. */
  value?: Quantity;
}

/** The value that a metric has. */
export interface MetricValueStatus {
  /** Mean over the pods, in percent of what they request. */
  averageUtilization?: number;
  /** Mean over the pods. */
  averageValue?: Quantity;
  /** The value itself. */
  value?: Quantity;
}

/** A metric of one object, and its target. */
export interface ObjectMetricSource {
  /** The object. */
  describedObject?: CrossVersionObjectReference;
  /** Which metric it is. */
  metric?: MetricIdentifier;
  /** The value to aim at. */
  target?: MetricTarget;
}

/** A metric of one object, as it was last seen. */
export interface ObjectMetricStatus {
  /** The value as last seen. */
  current?: MetricValueStatus;
  /** The object. */
  describedObject?: CrossVersionObjectReference;
  /** Which metric it is. */
  metric?: MetricIdentifier;
}

/** A metric of each pod, and its target. */
export interface PodsMetricSource {
  /** Which metric it is. */
  metric?: MetricIdentifier;
  /** The value to aim at. */
  target?: MetricTarget;
}

/** A metric of each pod, as it was last seen. */
export interface PodsMetricStatus {
  /** The value as last seen. */
  current?: MetricValueStatus;
  /** Which metric it is. */
  metric?: MetricIdentifier;
}

/** Use of a resource by each pod, and its target. */
export interface ResourceMetricSource {
  /** Name of the resource, such as cpu. */
  name?: string;
  /** The value to aim at. */
  target?: MetricTarget;
}

/** Use of a resource by each pod, as it was last seen. */
export interface ResourceMetricStatus {
  /** The value as last seen. */
  current?: MetricValueStatus;
  /** Name of the resource, such as cpu. */
  name?: string;
}
