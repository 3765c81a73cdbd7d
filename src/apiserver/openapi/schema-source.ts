// Where the schemas of a document come from: custom resources bring their own, built-in kinds refer to definitions
// by name, and so do the types of the protocol.
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { JsonSchema } from "../../schema/schema-node.ts";
import { customKindSchema, customListSchema } from "./custom-schema.ts";
import type { SchemaSource } from "./document.ts";
import { refTo } from "./names.ts";
import { DELETE_OPTIONS_SCHEMA, schemaNames, WATCH_EVENT_SCHEMA } from "./resource-scope.ts";

/** Gives the schema behind "#/components/schemas/<name>" of a built-in type; for none, undefined or an error. */
export type DefinitionByRef = (ref: string) => JsonSchema | undefined;

/** The kinds that all group versions have in common, in the form that one document shows them. */
export type SharedKinds = (kind: string) => readonly unknown[];

export function schemaSource(
  views: readonly ResourceView[],
  definitionByRef: DefinitionByRef,
  sharedKinds: SharedKinds,
): SchemaSource {
  const made = new Map<string, () => JsonSchema>();
  for (const view of views) {
    if (!view.definition.custom) continue;
    const names = schemaNames(view);
    made.set(names.kind, () => customKindSchema(view));
    made.set(names.list, () => customListSchema(view));
  }
  return (name) => {
    const schema = made.get(name)?.() ?? definitionByRef(refTo(name).$ref);
    return schema === undefined ? undefined : withSharedKinds(name, schema, sharedKinds);
  };
}

function withSharedKinds(name: string, schema: JsonSchema, sharedKinds: SharedKinds): JsonSchema {
  if (name !== DELETE_OPTIONS_SCHEMA && name !== WATCH_EVENT_SCHEMA) return schema;
  const kind = name.slice(name.lastIndexOf(".") + 1);
  return { ...schema, "x-kubernetes-group-version-kind": sharedKinds(kind) };
}
