// A deprecated version of a kind says so with each answer.
import type { ResourceView } from "../registry/resource-definition.ts";
import { apiVersionOf } from "../registry/resource-registry.ts";

export function deprecationWarning(view: ResourceView): string | undefined {
  const { deprecated, deprecationWarning: text } = view.version;
  if (!deprecated) return undefined;
  return text ?? `${apiVersionOf(view)} ${view.definition.kind} is deprecated`;
}
