// What /healthz, /livez and /readyz list: the checks of a kube-apiserver, by its names and in its order. Those that stand for
// something that can go wrong here ask it. The others tell that a part of a start has been done: who can ask, gets an
// answer after that part.
import type { HealthCheck } from "../apiserver/health.ts";

/** undefined: fine; else what is wrong. */
type Ask = () => string | undefined;

const ALIVE = ["healthz", "livez"] as const;
const READY = ["readyz"] as const;

/** The parts of a start before and behind those of the store. */
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

/** The checks, of which some ask whether the store works, and one whether the start is done. */
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
