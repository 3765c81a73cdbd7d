// The schemas of a CRD. This is what costs time in checking a CRD, so a schema that was checked before is not looked at
// again: one that an update leaves as it is, or one that comes with the server.
import type { FieldError } from "../../../meta/field-error.ts";
import { equalJson, isObject, type JsonObject } from "../../../meta/json.ts";
import { validateRuleDeclarations } from "../../../schema/rules/compile-rules.ts";
import { validateRules } from "../../../schema/rules/validate-rules.ts";
import type { JsonSchema } from "../../../schema/schema-node.ts";
import { validateStructuralSchema } from "../../../schema/structural.ts";
import { hasStatus, type SharedForm, type SpecForm, schemaOf, specForm } from "./spec-form.ts";

/** A schema, and whether a status subresource narrows what it may say. */
interface SchemaUse {
  readonly schema: JsonSchema;
  readonly hasStatus: boolean;
}

const trusted = new WeakSet<JsonObject>();

/** Says that the schemas of a spec need no check: they are known to be sound. */
export function trustSchemas(spec: JsonObject): void {
  trusted.add(spec);
}

/** All schemas of a spec as they are checked. */
function schemaUses(form: SpecForm): SchemaUse[] {
  const isNarrowed = (version: SharedForm): boolean => hasStatus(version) || hasStatus(form);
  return [
    { schema: schemaOf(form), hasStatus: anyHasStatus(form) },
    ...form.versions.map((version) => ({ schema: schemaOf(version), hasStatus: isNarrowed(version) })),
  ].flatMap(({ schema, hasStatus }) => (schema === undefined ? [] : [{ schema, hasStatus }]));
}

export const anyHasStatus = (form: SpecForm): boolean => hasStatus(form) || form.versions.some(hasStatus);

type Crd = Readonly<JsonObject>;

/** Whether a schema of a CRD has to be looked at: it is neither known to be sound nor one that the old CRD had. */
function isNewIn(crd: Crd, old: Crd | undefined): (use: SchemaUse) => boolean {
  const spec = crd["spec"];
  if (isObject(spec) && trusted.has(spec)) return () => false;
  const before = old === undefined ? [] : schemaUses(specForm(old));
  return (use) =>
    !before.some((known) => known.hasStatus === use.hasStatus && equalJson(known.schema, use.schema));
}

/** The schemas of a CRD that will be looked at. */
export const schemasToCheck = (crd: Crd, old: Crd | undefined): JsonSchema[] =>
  schemaUses(specForm(crd))
    .filter(isNewIn(crd, old))
    .map(({ schema }) => schema);

/** All findings about a schema; path is that of openAPIV3Schema. */
export type SchemaCheck = (use: SchemaUse, path: string) => FieldError[];

export function schemaCheck(crd: Crd, old: Crd | undefined): SchemaCheck {
  const isNew = isNewIn(crd, old);
  return (use, path) =>
    isNew(use)
      ? validateStructuralSchema(use.schema, path, {
          hasStatus: use.hasStatus,
          defaultRules: (node, value, root) => validateRules(node, value, undefined, { root }),
          rules: (faulty) => validateRuleDeclarations(use.schema, path, faulty),
        })
      : [];
}
