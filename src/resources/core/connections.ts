// Subresources of core kinds that lead to a running container or address, or that other parts of a cluster act on.
// They are listed as a real server lists them; a verb that is not served is refused as not allowed.
import type { SubresourceDefinition } from "../../registry/resource-definition.ts";
import { schemaRef } from "../schema-library.ts";

const READ_WRITE = ["get", "patch", "update"];
const CONNECT = ["create", "get"];
const PROXY = ["create", "delete", "get", "patch", "update"];
const pod = schemaRef("io.k8s.api.core.v1.Pod");

export const POD_SUBRESOURCES: readonly SubresourceDefinition[] = [
  { name: "attach", verbs: CONNECT, kind: "PodAttachOptions" },
  { name: "binding", verbs: ["create"], kind: "Binding" },
  { name: "ephemeralcontainers", verbs: READ_WRITE, schema: pod },
  { name: "eviction", verbs: ["create"], kind: "Eviction", group: "policy", version: "v1" },
  { name: "exec", verbs: CONNECT, kind: "PodExecOptions" },
  { name: "log", verbs: ["get"] },
  { name: "portforward", verbs: CONNECT, kind: "PodPortForwardOptions" },
  { name: "proxy", verbs: PROXY, kind: "PodProxyOptions" },
  { name: "resize", verbs: READ_WRITE, schema: pod },
];

export const SERVICE_SUBRESOURCES: readonly SubresourceDefinition[] = [
  { name: "proxy", verbs: PROXY, kind: "ServiceProxyOptions" },
];

export const NODE_SUBRESOURCES: readonly SubresourceDefinition[] = [
  { name: "proxy", verbs: PROXY, kind: "NodeProxyOptions" },
];
