// Subresources of core kinds that lead to a running container or address.
// They are listed as a real server lists them; a verb that is not served is refused as not allowed.
import type { SubresourceDefinition } from "../../registry/definition/resource-definition.ts";

const CONNECT = ["create", "get"];
const PROXY = ["create", "delete", "get", "patch", "update"];
export const POD_CONNECTIONS: readonly SubresourceDefinition[] = [
  { name: "attach", verbs: CONNECT, kind: "PodAttachOptions" },
  { name: "exec", verbs: CONNECT, kind: "PodExecOptions" },
  { name: "log", verbs: ["get"] },
  { name: "portforward", verbs: CONNECT, kind: "PodPortForwardOptions" },
  { name: "proxy", verbs: PROXY, kind: "PodProxyOptions" },
];

export const SERVICE_SUBRESOURCES: readonly SubresourceDefinition[] = [
  { name: "proxy", verbs: PROXY, kind: "ServiceProxyOptions" },
];

export const NODE_SUBRESOURCES: readonly SubresourceDefinition[] = [
  { name: "proxy", verbs: PROXY, kind: "NodeProxyOptions" },
];
