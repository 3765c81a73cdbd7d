// The schemas of a CRD. This is what costs time in checking a CRD, so a schema that was checked before is not looked at
// again: one that an update leaves as it is, or one that comes with the server.
import type { FieldError } from "../../../meta/field-error.ts";
import { equalJson, type JsonObject } from "../../../meta/json.ts";
import { validateRuleDeclarations } from "../../../schema/rules/compile-rules.ts";
import { validateRules } from "../../../schema/rules/validate-rules.ts";
import type { JsonSchema } from "../../../schema/schema-node.ts";
import { validateStructuralSchema } from "../../../schema/structural.ts";
import { hasStatus, type SpecForm, schemaOf } from "./spec-form.ts";

/** A schema, and whether a status subresource narrows what it may say. */
export interface SchemaUse {
  readonly schema: JsonSchema;
  readonly hasStatus: boolean;
}

const trusted = new WeakSet<JsonObject>();

/** Says that the schemas of a spec need no check: they are known to be sound. */
export function trustSchemas(spec: JsonObject): void {
  trusted.add(spec);
}

export const isTrusted = (spec: JsonObject): boolean => trusted.has(spec);

/** All schemas of a spec as they are checked. */
export function schemaUses(form: SpecForm): SchemaUse[] {
  const uses: SchemaUse[] = [];
  const top = schemaOf(form);
  if (top !== undefined) uses.push({ schema: top, hasStatus: anyHasStatus(form) });
  for (const version of form.versions) {
    const schema = schemaOf(version);
    if (schema !== undefined) uses.push({ schema, hasStatus: hasStatus(version) || hasStatus(form) });
  }
  return uses;
}

export const anyHasStatus = (form: SpecForm): boolean => hasStatus(form) || form.versions.some(hasStatus);

/** Checks the schemas of one CRD; `before` are those of the CRD that it replaces. */
export class SchemaCheck {
  readonly #isTrusted: boolean;
  readonly #before: readonly SchemaUse[];

  constructor(spec: JsonObject, before: readonly SchemaUse[]) {
    this.#isTrusted = isTrusted(spec);
    this.#before = before;
  }

  /** All findings about a schema; path is that of openAPIV3Schema. */
  findings(use: SchemaUse, path: string): FieldError[] {
    if (this.#isTrusted) return [];
    const known = this.#before.some(
      (old) => old.hasStatus === use.hasStatus && equalJson(old.schema, use.schema),
    );
    if (known) return [];
    return validateStructuralSchema(use.schema, path, {
      hasStatus: use.hasStatus,
      defaultRules: (node, value, root) => validateRules(node, value, undefined, { root }),
      rules: (faulty) => validateRuleDeclarations(use.schema, path, faulty),
    });
  }
}
