// The checks of /healthz, /livez and /readyz, with the names and the order of a kube-apiserver. Some evaluate the
// store or the start. The others name parts of the start that are complete before the server listens, so they always
// pass.
import type { HealthCheck } from "../apiserver/endpoints/health.ts";

/** Returns the failure; undefined: healthy. */
type Ask = () => string | undefined;

const ALIVE = ["healthz", "livez"] as const;
const READY = ["readyz"] as const;

/** Post-start hooks that kube-apiserver lists before and after the storage checks. */
const EARLY_HOOKS = [
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "priority-and-fairness-config-consumer",
  "priority-and-fairness-filter",
  "storage-object-count-tracker-hook",
  "start-apiextensions-informers",
  "start-apiextensions-controllers",
  "crd-informer-synced",
  "start-system-namespaces-controller",
  "peer-endpoint-reconciler-controller",
  "start-cluster-authentication-info-controller",
  "start-kube-apiserver-identity-lease-controller",
  "start-kube-apiserver-identity-lease-garbage-collector",
];
const LATE_HOOKS = [
  "start-legacy-token-tracking-controller",
  "start-service-ip-repair-controllers",
  "rbac/bootstrap-roles",
  "scheduling/bootstrap-system-priority-classes",
  "priority-and-fairness-config-producer",
  "bootstrap-controller",
  "start-kubernetes-service-cidr-controller",
  "start-kube-aggregator-informers",
  "apiservice-status-local-available-controller",
  "apiservice-status-remote-available-controller",
  "apiservice-registration-controller",
  "apiservice-wait-for-first-sync",
  "apiservice-discovery-controller",
  "kube-apiserver-autoregistration",
];

const fine: Ask = () => undefined;
const hook = (name: string, check = fine): HealthCheck => ({ name: `poststarthook/${name}`, check });

/** The checks. `store` reports a failed store, `start` an incomplete start. */
export function healthChecks({ store, start }: { readonly store: Ask; readonly start: Ask }): HealthCheck[] {
  return [
    { name: "ping", check: fine },
    { name: "log", check: fine },
    { name: "loopback-serving-certificate", of: ALIVE, check: fine },
    { name: "etcd", of: ALIVE, check: store },
    { name: "informer-sync", of: READY, check: start },
    ...EARLY_HOOKS.map((name) => hook(name)),
    hook("storage-readiness", store),
    ...LATE_HOOKS.map((name) => hook(name)),
    { name: "autoregister-completion", check: fine },
    hook("apiservice-openapi-controller"),
    hook("apiservice-openapiv3-controller"),
    { name: "shutdown", of: READY, check: fine },
  ];
}
