// The admission plugins that are off unless --enable-admission-plugins names them, as the API server's flag of that
// name does. Those in ALWAYS_ON are on in any case; naming them changes nothing.

import { createDefaultIngressClass } from "../admission/default-ingress-class.ts";
import type { AdmissionDeps } from "../admission/deps.ts";
import { createDynamicAdmission, type FollowedAdmission } from "../admission/dynamic-admission.ts";
import { createEgressIpMarkGuard } from "../admission/egressip-mark-guard.ts";
import { createNamespaceLifecycle } from "../admission/namespace-lifecycle.ts";
import { createPodTopologyLabels } from "../admission/pod-topology-labels.ts";
import { createPriority } from "../admission/priority.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import type { Store } from "../storage/store.ts";
import type { Access } from "./access-control.ts";
import { UsageError } from "./errors.ts";
import type { ServerOptions } from "./options/options.ts";

const OPTIONAL: ReadonlyMap<string, () => AdmissionPlugin> = new Map([
  ["EgressIPMark", createEgressIpMarkGuard],
]);
const ALWAYS_ON = new Set(["NamespaceLifecycle", "PodTopologyLabels", "Priority", "DefaultIngressClass"]);

/** Those that are always on. */
const standingPlugins = (store: Store): AdmissionPlugin[] => [
  createNamespaceLifecycle(store),
  createPodTopologyLabels(store),
  createPriority(store),
  createDefaultIngressClass(store),
];

/** Throws UsageError for a name that is none. */
function enabledAdmissionPlugins(options: ServerOptions): AdmissionPlugin[] {
  const names = options.enableAdmissionPlugins.map((name) => name.trim());
  const wanted = new Set(names.filter((name) => name !== ""));
  const unknown = [...wanted].find((name) => !OPTIONAL.has(name) && !ALWAYS_ON.has(name));
  if (unknown !== undefined) {
    throw new UsageError(`enable-admission-plugins plugin ${JSON.stringify(unknown)} is unknown`);
  }
  return [...OPTIONAL].filter(([name]) => wanted.has(name)).map(([, create]) => create());
}

/** What every write passes. */
export interface Admission {
  readonly admission: readonly AdmissionPlugin[];
  readonly dynamicAdmission: FollowedAdmission;
}

/** The plugins that are on, and policies and webhooks as they stand in the store. Throws UsageError. */
export function openAdmission(
  options: ServerOptions,
  access: Pick<Access, "admission" | "control">,
  deps: Omit<AdmissionDeps, "onError" | "authorizer">,
  onError: (error: unknown) => void,
): Admission {
  const { authorizer } = access.control;
  return {
    admission: [...standingPlugins(deps.store), ...access.admission, ...enabledAdmissionPlugins(options)],
    dynamicAdmission: createDynamicAdmission({ ...deps, authorizer, onError }),
  };
}
