// What the kinds of this group have in common.

import type { Review } from "../../registry/definition/actions.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { builtIn } from "../define.ts";

export const GROUP = "authorization.k8s.io";

export function reviewKind(kind: string, namespaceScoped: boolean, review: Review): ResourceDefinition {
  return builtIn({
    type: `io.k8s.api.authorization.v1.${kind}`,
    group: GROUP,
    version: "v1",
    resource: `${kind.toLowerCase()}s`,
    namespaceScoped,
    verbs: ["create"],
    strategy: {},
    review,
  });
}
