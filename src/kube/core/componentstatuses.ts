// ComponentStatus (deprecated): health of the control plane's components. Store and controllers are part of this process
// and always healthy. The scheduler is always reported as unreachable.

import { type JsonObject, textAt } from "../../apimachinery/json/json.ts";
import { conditionOf } from "../../apimachinery/meta/conditions.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { builtIn } from "../../apiserver/registry/strategy/define.ts";

const OK = { status: "True", message: "ok" };

/** Components by name; an unhealthy one has the message of its failed health check. */
const PARTS = [
  ["controller-manager", OK],
  ["etcd-0", OK],
  [
    "scheduler",
    {
      status: "False",
      message: 'Get "https://127.0.0.1:10259/healthz": dial tcp 127.0.0.1:10259: connect: connection refused',
    },
  ],
] as const;

const observe = (): KubeObject[] =>
  PARTS.map(([name, found]) => ({
    apiVersion: "v1",
    kind: "ComponentStatus",
    metadata: { name },
    conditions: [{ type: "Healthy", ...found }],
  }));

const healthOf = (object: Readonly<JsonObject>): JsonObject | undefined => conditionOf(object, "Healthy");

function statusCell(object: Readonly<JsonObject>): string {
  const health = healthOf(object);
  if (health === undefined) return "Unknown";
  return health["status"] === "True" ? "Healthy" : "Unhealthy";
}

export const componentStatuses = builtIn("v1", "ComponentStatus", {
  shortNames: ["cs"],
  namespaceScoped: false,
  verbs: ["get", "list"],
  observe,
  deprecationWarning: "v1 ComponentStatus is deprecated in v1.19+",
  columns: [
    NAME,
    column("Status", "Whether the part answers.", statusCell),
    column("Message", "What the part said.", (object) => textAt(healthOf(object), "message")),
    column("Error", "What went wrong with the question.", (object) => textAt(healthOf(object), "error")),
  ],
});
