// In which order groups and versions are offered. Clients take the first version of a group that they know, and
// the first group that has the kind they look for, so this order is part of the API.

import { lookupTable } from "../../meta/json.ts";

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;
const STABILITY: Record<string, number> = lookupTable({ alpha: 1, beta: 2, "": 3 });

/** v2 before v1 before v1beta2 before v1beta1 before v1alpha1; other names come last, by alphabet. */
export function compareVersions(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : Number(a > b);
  }
  for (const [index, value] of left.entries()) {
    const difference = (right[index] ?? 0) - value;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Stability, then major, then minor number. */
function rank(version: string): readonly number[] | undefined {
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const [, major, stability = "", minor = "0"] = match;
  return [STABILITY[stability] ?? 0, Number(major), Number(minor)];
}

/** Groups of custom resources share one place behind the built-in ones. */
const CUSTOM_PRIORITY = 1000;

const GROUP_PRIORITY: Readonly<Record<string, number>> = lookupTable({
  "apiregistration.k8s.io": 20000,
  "": 18000,
  apps: 17800,
  "events.k8s.io": 17750,
  "authentication.k8s.io": 17700,
  "authorization.k8s.io": 17600,
  autoscaling: 17500,
  batch: 17400,
  "certificates.k8s.io": 17300,
  "networking.k8s.io": 17200,
  policy: 17100,
  "rbac.authorization.k8s.io": 17000,
  "storage.k8s.io": 16800,
  "apiextensions.k8s.io": 16700,
  "admissionregistration.k8s.io": 16700,
  "scheduling.k8s.io": 16600,
  "coordination.k8s.io": 16500,
  "node.k8s.io": 16300,
  "discovery.k8s.io": 16200,
  "flowcontrol.apiserver.k8s.io": 16100,
  "internal.apiserver.k8s.io": 16000,
  "resource.k8s.io": 15900,
  "storagemigration.k8s.io": 15800,
});

/** The higher, the earlier. */
export function groupPriority(group: string): number {
  return GROUP_PRIORITY[group] ?? CUSTOM_PRIORITY;
}
