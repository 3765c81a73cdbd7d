// Written by `npm run types` from the schemas; do not edit.
import type { ObjectReference, PodTemplateSpec } from "./io.k8s.api.core.v1.d.ts";
import type { LabelSelector, ObjectMeta, Time } from "./io.k8s.apimachinery.pkg.apis.meta.v1.d.ts";

/** Makes jobs at the times of a schedule. */
export interface CronJob {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "batch/v1";
  /** Name of the type that this object has. */
  kind: "CronJob";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** When jobs are made, and from what. */
  spec?: CronJobSpec;
  /** Which jobs run, and when there was one last. */
  status?: CronJobStatus;
}

/** When jobs are made, and from what. */
export interface CronJobSpec {
  /** What is done when the last job still runs. */
  concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  /** How many jobs that have failed are kept. */
  failedJobsHistoryLimit?: number;
  /** What each job is made from. */
  jobTemplate?: JobTemplateSpec;
  /** The times, as cron writes them. */
  schedule?: string;
  /** Seconds by which a job may be late. */
  startingDeadlineSeconds?: number;
  /** How many jobs that have succeeded are kept. */
  successfulJobsHistoryLimit?: number;
  /** Whether no further jobs are made. */
  suspend?: boolean;
  /** Name of the time zone of the schedule; that of the controller if left out. */
  timeZone?: string;
}

/** Which jobs run, and when there was one last. */
export interface CronJobStatus {
  /** The jobs that run. */
  active?: ObjectReference[];
  /** When a job was last made. */
  lastScheduleTime?: Time;
  /** When a job last succeeded. */
  lastSuccessfulTime?: Time;
}

/** Runs pods until enough of them have succeeded. */
export interface Job {
  /** Version of the API in which this object is written, as group/version or just the version for the core group. */
  apiVersion: "batch/v1";
  /** Name of the type that this object has. */
  kind: "Job";
  /** Name, labels and the other members that every object has. */
  metadata: ObjectMeta;
  /** What should run, how often, and until when. */
  spec?: JobSpec;
  /** How far the job has come. */
  status?: JobStatus;
}

/** One named state of a job. */
export interface JobCondition {
  /** When it was last looked at. */
  lastProbeTime?: Time;
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

/** What a job should run, how often, and until when. */
export interface JobSpec {
  /** Seconds after which the job has failed if it is not done. */
  activeDeadlineSeconds?: number;
  /** How many failures are too many for the job. */
  backoffLimit?: number;
  /** How many failures are too many for one index. */
  backoffLimitPerIndex?: number;
  /** NonIndexed: all pods are the same; Indexed: each has a number of its own. */
  completionMode?: "Indexed" | "NonIndexed";
  /** How many pods have to succeed; left out, the success of one is that of all. */
  completions?: number;
  /** Who runs the job; left out, the controller of Kubernetes. */
  managedBy?: string;
  /** Whether the selector and the labels that fit it are made by hand. */
  manualSelector?: boolean;
  /** How many failed indexes are too many for the job. */
  maxFailedIndexes?: number;
  /** How many pods may run at a time. */
  parallelism?: number;
  /** What follows from the failure of a pod, by its exit code or its conditions. */
  podFailurePolicy?: PodFailurePolicy;
  /** Whether a pod is replaced when it begins to end, or when it has failed. */
  podReplacementPolicy?: "Failed" | "TerminatingOrFailed";
  /** The pods that belong to the job, by label; the server fills it in. */
  selector?: LabelSelector;
  /** When an indexed job has succeeded although not all of its pods have. */
  successPolicy?: SuccessPolicy;
  /** Whether pods are not made, and those that run are ended. */
  suspend?: boolean;
  /** What the pods are made from. */
  template?: PodTemplateSpec;
  /** Seconds after the end of the job in which it is kept. */
  ttlSecondsAfterFinished?: number;
}

/** How far a job has come. */
export interface JobStatus {
  /** How many pods run or wait. */
  active?: number;
  /** The indexes that have succeeded, as in 1,3-5,7. */
  completedIndexes?: string;
  /** When the job was done. */
  completionTime?: Time;
  /** Named states of the job; it is done with Complete or Failed. */
  conditions?: JobCondition[];
  /** How many pods have failed. */
  failed?: number;
  /** The indexes that have failed, as in 1,3-5,7. */
  failedIndexes?: string;
  /** How many of the active pods are ready. */
  ready?: number;
  /** When the job was begun, or taken up again. */
  startTime?: Time;
  /** How many pods have succeeded. */
  succeeded?: number;
  /** How many pods are ending. */
  terminating?: number;
  /** Pods that have ended and are in no number yet. */
  uncountedTerminatedPods?: UncountedTerminatedPods;
}

/** What a job is made from. */
export interface JobTemplateSpec {
  /** Labels and annotations that the jobs get. */
  metadata?: ObjectMeta;
  /** What the jobs should run. */
  spec?: JobSpec;
}

/** What follows from the failure of a pod. */
export interface PodFailurePolicy {
  /** The first that fits a failed pod is followed. */
  rules: PodFailurePolicyRule[];
}

/** Which exit codes of containers fit. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** The container that is meant; left out: all of them. */
  containerName?: string;
  /** Whether the code is to be among the values, or not. */
  operator?: "In" | "NotIn";
  /** Exit codes, sorted and each once. */
  values: number[];
}

/** Which condition of a pod fits. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /** Its status; True unless said otherwise. */
  status?: string;
  /** Name of the condition. */
  type?: string;
}

/** What follows from one sort of failure. */
export interface PodFailurePolicyRule {
  /** What is done about it. */
  action?: "Count" | "FailIndex" | "FailJob" | "Ignore";
  /** Fits by how containers have ended. */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  /** Fits by the conditions of the pod; one of them is enough. */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

/** When an indexed job has succeeded. */
export interface SuccessPolicy {
  /** Of these, the first that holds ends the job. */
  rules: SuccessPolicyRule[];
}

/** Which indexes, and how many of them, are enough. */
export interface SuccessPolicyRule {
  /** How many of them are enough. */
  succeededCount?: number;
  /** The indexes that count, as in 1,3-5,7. */
  succeededIndexes?: string;
}

/** Pods that have ended and are in no number yet. */
export interface UncountedTerminatedPods {
  /** The uids of those that have failed. */
  failed?: string[];
  /** The uids of those that have succeeded. */
  succeeded?: string[];
}
