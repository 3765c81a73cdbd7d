// What the kinds of this group have in common.

import type { Review } from "../../registry/definition/actions.ts";
import type { ResourceDefinition } from "../../registry/definition/resource-definition.ts";
import { builtIn } from "../define.ts";

export const GROUP = "authorization.k8s.io";

export function reviewKind(kind: string, namespaceScoped: boolean, review: Review): ResourceDefinition {
  return builtIn(`${GROUP}/v1`, kind, {
    namespaceScoped,
    verbs: ["create"],
    review,
  });
}
