// The subresources of a resource as discovery and OpenAPI list them: status and scale, which every kind may have,
// and those that a built-in kind names itself (finalize, eviction, token …).
import { append } from "../../meta/lists.ts";
import type { ResourceView, SubresourceDefinition } from "../../registry/definition/resource-definition.ts";

const OBJECT_VERBS = ["get", "patch", "update"];

/** Name of the autoscaling/v1 Scale schema. */
const SCALE_SCHEMA = "io.k8s.api.autoscaling.v1.Scale";

/** Status and scale of custom resources come in this order; built-in kinds sort all of theirs. */
export function subresourcesOf({ definition, version }: ResourceView): readonly SubresourceDefinition[] {
  const { subresources = [] } = definition;
  const out: SubresourceDefinition[] = [];
  if (version.status !== undefined) out.push({ name: "status", verbs: OBJECT_VERBS, schema: version.schema });
  if (version.scale !== undefined) out.push(SCALE);
  if (definition.custom) return out;
  append(out, subresources);
  return out.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const SCALE: SubresourceDefinition = {
  name: "scale",
  verbs: OBJECT_VERBS,
  kind: "Scale",
  group: "autoscaling",
  version: "v1",
  schema: { $ref: `#/components/schemas/${SCALE_SCHEMA}` },
};
