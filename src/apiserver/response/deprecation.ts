// A deprecated version of a kind says so with each answer.
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import { compareVersions } from "../discovery/version-order.ts";

export function deprecationWarning(view: ResourceView): string | undefined {
  const { deprecated, deprecationWarning: text } = view.version;
  if (!deprecated) return undefined;
  return text ?? `${nameOf(view)} is deprecated${advice(view)}`;
}

const nameOf = (view: ResourceView): string => `${apiVersionOf(view)} ${view.definition.kind}`;

/** The newest version that is served and not deprecated, if it is newer. */
function advice({ definition, version }: ResourceView): string {
  const [newest] = definition.versions
    .filter((item) => item.served && !item.deprecated && compareVersions(item.name, version.name) < 0)
    .sort((a, b) => compareVersions(a.name, b.name));
  return newest === undefined ? "" : `; use ${nameOf({ definition, version: newest })}`;
}
