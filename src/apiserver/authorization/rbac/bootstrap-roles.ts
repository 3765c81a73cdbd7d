// The ClusterRoles and bindings that every cluster with RBAC has from its start. Those of components that have no part
// here (scheduler, kubelet's servers, certificates) are left out.
import type { KubeObject } from "../../../meta/object-meta.ts";
import { RBAC_GROUP } from "./follow-policy.ts";

type Rule = Readonly<Record<string, readonly string[]>>;

const READ = ["get", "list", "watch"];
const WRITE = ["create", "delete", "deletecollection", "patch", "update"];
const READ_WRITE = [...READ, ...WRITE].sort();
const CREATE = ["create"];
const NETWORKING = "networking.k8s.io";
const REVIEWS = "authorization.k8s.io";

const on = (group: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [group],
  resources,
  verbs,
});
const getPaths = (nonResourceURLs: readonly string[]): Rule => ({ nonResourceURLs, verbs: ["get"] });
const withSubresources = (resources: readonly string[], subresource: string): readonly string[] =>
  resources.flatMap((resource) => [resource, `${resource}/${subresource}`]);

const WORKLOADS = ["deployments", "replicasets", "statefulsets"];
const SESSIONS = ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy"];
const HEALTH = ["/healthz", "/livez", "/readyz"];
const VERSION = ["/version", "/version/"];

const VIEW: readonly Rule[] = [
  on(
    "",
    [
      "configmaps",
      "endpoints",
      "persistentvolumeclaims",
      "persistentvolumeclaims/status",
      "pods",
      "replicationcontrollers",
      "replicationcontrollers/scale",
      "serviceaccounts",
      "services",
      "services/status",
    ],
    READ,
  ),
  on(
    "",
    [
      "bindings",
      "events",
      "limitranges",
      "namespaces/status",
      "pods/log",
      "pods/status",
      "replicationcontrollers/status",
      "resourcequotas",
      "resourcequotas/status",
    ],
    READ,
  ),
  on("", ["namespaces"], READ),
  on("discovery.k8s.io", ["endpointslices"], READ),
  on(
    "apps",
    [
      "controllerrevisions",
      ...withSubresources(["daemonsets"], "status"),
      ...WORKLOADS.flatMap((resource) => [resource, `${resource}/scale`, `${resource}/status`]),
    ],
    READ,
  ),
  on("autoscaling", withSubresources(["horizontalpodautoscalers"], "status"), READ),
  on("batch", withSubresources(["cronjobs", "jobs"], "status"), READ),
  on("policy", withSubresources(["poddisruptionbudgets"], "status"), READ),
  on(NETWORKING, [...withSubresources(["ingresses"], "status"), "networkpolicies"], READ),
];

const EDIT: readonly Rule[] = [
  on("", [...SESSIONS, "secrets", "services/proxy"], READ),
  on("", ["serviceaccounts"], ["impersonate"]),
  on("", ["pods", ...SESSIONS], WRITE),
  on("", ["pods/eviction"], CREATE),
  on(
    "",
    [
      "configmaps",
      "events",
      "persistentvolumeclaims",
      "replicationcontrollers",
      "replicationcontrollers/scale",
      "secrets",
      "serviceaccounts",
      "services",
      "services/proxy",
    ],
    WRITE,
  ),
  on("", ["serviceaccounts/token"], CREATE),
  on("apps", ["daemonsets", "deployments/rollback", ...withSubresources(WORKLOADS, "scale")], WRITE),
  on("autoscaling", ["horizontalpodautoscalers"], WRITE),
  on("batch", ["cronjobs", "jobs"], WRITE),
  on("policy", ["poddisruptionbudgets"], WRITE),
  on(NETWORKING, ["ingresses", "networkpolicies"], WRITE),
  on("coordination.k8s.io", ["leases"], READ_WRITE),
];

const ADMIN: readonly Rule[] = [
  on(REVIEWS, ["localsubjectaccessreviews"], CREATE),
  on(RBAC_GROUP, ["rolebindings", "roles"], READ_WRITE),
];

const NODE: readonly Rule[] = [
  on("authentication.k8s.io", ["tokenreviews"], CREATE),
  on(REVIEWS, ["localsubjectaccessreviews", "subjectaccessreviews"], CREATE),
  on("", ["services"], READ),
  on("", ["nodes"], ["create", ...READ]),
  on("", ["nodes/status"], ["patch", "update"]),
  on("", ["nodes"], ["patch", "update"]),
  on("", ["events"], ["create", "patch", "update"]),
  on("", ["pods"], READ),
  on("", ["pods"], ["create", "delete"]),
  on("", ["pods/status"], ["patch", "update"]),
  on("", ["pods/eviction"], CREATE),
  on("", ["configmaps", "secrets"], READ),
  on("coordination.k8s.io", ["leases"], ["create", "delete", "get", "patch", "update"]),
  on("", ["serviceaccounts/token"], CREATE),
];

const AUTHENTICATED = "system:authenticated";

interface BootstrapRole {
  readonly name: string;
  readonly rules?: readonly Rule[];
  /** admin, edit and view are made of the roles with the label for them. */
  readonly gathers?: "admin" | "edit" | "view";
  readonly partOf?: "admin" | "edit" | "view";
  /** Given: there is a binding of the same name to these groups. */
  readonly boundTo?: readonly string[];
}

const ROLES: readonly BootstrapRole[] = [
  {
    name: "cluster-admin",
    rules: [on("*", ["*"], ["*"]), { nonResourceURLs: ["*"], verbs: ["*"] }],
    boundTo: ["system:masters"],
  },
  { name: "admin", gathers: "admin" },
  { name: "edit", gathers: "edit", partOf: "admin" },
  { name: "view", gathers: "view", partOf: "edit" },
  { name: "system:aggregate-to-admin", rules: ADMIN, partOf: "admin" },
  { name: "system:aggregate-to-edit", rules: EDIT, partOf: "edit" },
  { name: "system:aggregate-to-view", rules: VIEW, partOf: "view" },
  {
    name: "system:discovery",
    rules: [
      getPaths([
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        ...VERSION,
      ]),
    ],
    boundTo: [AUTHENTICATED],
  },
  {
    name: "system:basic-user",
    rules: [
      on(REVIEWS, ["selfsubjectaccessreviews", "selfsubjectrulesreviews"], CREATE),
      on("authentication.k8s.io", ["selfsubjectreviews"], CREATE),
    ],
    boundTo: [AUTHENTICATED],
  },
  {
    name: "system:public-info-viewer",
    rules: [getPaths([...HEALTH, ...VERSION])],
    boundTo: [AUTHENTICATED, "system:unauthenticated"],
  },
  {
    name: "system:monitoring",
    rules: [getPaths([...HEALTH.flatMap((path) => [path, `${path}/*`]), "/metrics", "/metrics/slis"].sort())],
    boundTo: ["system:monitoring"],
  },
  {
    name: "system:auth-delegator",
    rules: [
      on("authentication.k8s.io", ["tokenreviews"], CREATE),
      on(REVIEWS, ["subjectaccessreviews"], CREATE),
    ],
  },
  { name: "system:node", rules: NODE, boundTo: [] },
];

const DEFAULTS_LABEL = { "kubernetes.io/bootstrapping": "rbac-defaults" };
export const AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";
const aggregateLabel = (to: string) => ({ [`${RBAC_GROUP}/aggregate-to-${to}`]: "true" });
const head = { apiVersion: `${RBAC_GROUP}/v1` };

export const bootstrapClusterRoles = (): readonly KubeObject[] =>
  ROLES.map(({ name, rules, gathers, partOf }) => ({
    ...head,
    kind: "ClusterRole",
    metadata: {
      name,
      labels: { ...DEFAULTS_LABEL, ...(partOf ? aggregateLabel(partOf) : {}) },
      annotations: { [AUTO_UPDATE]: "true" },
    },
    ...(rules ? { rules } : {}),
    ...(gathers
      ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateLabel(gathers) }] } }
      : {}),
  }));

export const bootstrapClusterRoleBindings = (): readonly KubeObject[] =>
  ROLES.flatMap(({ name, boundTo }) =>
    boundTo === undefined
      ? []
      : [
          {
            ...head,
            kind: "ClusterRoleBinding",
            metadata: { name, labels: DEFAULTS_LABEL, annotations: { [AUTO_UPDATE]: "true" } },
            roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name },
            ...(boundTo.length > 0
              ? { subjects: boundTo.map((group) => ({ apiGroup: RBAC_GROUP, kind: "Group", name: group })) }
              : {}),
          },
        ],
  );
