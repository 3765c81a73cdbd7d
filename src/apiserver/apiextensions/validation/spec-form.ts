// A CRD's spec in the form that upstream validates: parts that are equal in all versions are moved to the top and reported
// there (spec.validation, spec.subresources …). All other parts are reported at their version.
//
//   versions: [{ name: v1, schema: S, subresources: U }]            →  validation: S, subresources: U
//   versions: [{ name: v1, schema: S }, { name: v2, schema: T }]    →  versions[0].schema: S, versions[1].schema: T

import {
  equalJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsOf,
  textOf,
} from "../../../apimachinery/json/json.ts";
import type { FieldError } from "../../../apimachinery/meta/field-error.ts";
import { validateRuleDeclarations } from "../../../apimachinery/schema/rules/compile-rules.ts";
import { validateRules } from "../../../apimachinery/schema/rules/validate-rules.ts";
import type { JsonSchema } from "../../../apimachinery/schema/schema-node.ts";
import { encodeInternal, internalSchema } from "../../../apimachinery/schema/structural/root-fields.ts";
import { validateStructuralSchema } from "../../../apimachinery/schema/structural.ts";

/** Members that both the spec and a version can have. */
export interface SharedForm {
  /** { openAPIV3Schema } */
  readonly validation: JsonObject | undefined;
  readonly subresources: JsonObject | undefined;
  readonly columns: readonly JsonObject[];
  readonly selectableFields: readonly JsonObject[];
}

export interface VersionForm extends SharedForm {
  readonly name: string;
  readonly raw: JsonObject;
}

export interface SpecForm extends SharedForm {
  readonly spec: JsonObject;
  readonly versions: readonly VersionForm[];
}

const NOTHING: SharedForm = {
  validation: undefined,
  subresources: undefined,
  columns: [],
  selectableFields: [],
};

export function specForm(crd: Readonly<JsonObject>): SpecForm {
  const spec = objectAt(crd, "spec") ?? {};
  const versions = objectsOf(spec["versions"]).map(readVersion);
  const [first] = versions;
  if (first === undefined) return { ...NOTHING, spec, versions };
  const same = (read: (form: SharedForm) => unknown): boolean =>
    versions.every((version) => equalJson(read(version), read(first)));
  const common: (keyof SharedForm)[] = [];
  if (same((form) => form.validation)) common.push("validation");
  if (same((form) => form.subresources)) common.push("subresources");
  if (same((form) => form.columns)) common.push("columns");
  if (common.includes("validation") && same((form) => form.selectableFields)) common.push("selectableFields");
  const pick = (form: SharedForm, members: readonly (keyof SharedForm)[]): Partial<SharedForm> =>
    Object.fromEntries(members.map((member) => [member, form[member]]));
  return {
    ...NOTHING,
    ...pick(first, common),
    spec,
    versions: versions.map((version) => ({ ...version, ...pick(NOTHING, common) })),
  };
}

function readVersion(raw: JsonObject): VersionForm {
  return {
    name: textOf(raw["name"]),
    raw,
    validation: objectAt(raw, "schema"),
    subresources: objectAt(raw, "subresources"),
    columns: objectsOf(raw["additionalPrinterColumns"]),
    selectableFields: objectsOf(raw["selectableFields"]),
  };
}

export function schemaOf({ validation }: SharedForm): JsonSchema | undefined {
  return objectAt(validation, "openAPIV3Schema");
}

export function hasStatus({ subresources }: SharedForm): boolean {
  return objectAt(subresources, "status") !== undefined;
}

// Schemas of a CRD. They dominate the cost of validation, so a validated schema is skipped: one that an update leaves
// unchanged, or a shipped one.

/** A schema, and whether a status subresource restricts it. */
interface SchemaUse {
  readonly schema: JsonSchema;
  readonly hasStatus: boolean;
}

const trusted = new WeakSet<JsonObject>();

/** Marks the schemas of a spec as trusted: they need no validation. */
export function trustSchemas(spec: JsonObject): void {
  trusted.add(spec);
}

/** All schemas of a spec, in validation form. */
function schemaUses(form: SpecForm): SchemaUse[] {
  const isNarrowed = (version: SharedForm): boolean => hasStatus(version) || hasStatus(form);
  return [
    { schema: schemaOf(form), hasStatus: anyHasStatus(form) },
    ...form.versions.map((version) => ({ schema: schemaOf(version), hasStatus: isNarrowed(version) })),
  ].flatMap(({ schema, hasStatus }) => (schema === undefined ? [] : [{ schema, hasStatus }]));
}

export const anyHasStatus = (form: SpecForm): boolean => hasStatus(form) || form.versions.some(hasStatus);

type Crd = Readonly<JsonObject>;

/** Predicate for schemas that need validation: neither trusted nor in the old CRD. */
function isNewIn(crd: Crd, old: Crd | undefined): (use: SchemaUse) => boolean {
  const spec = crd["spec"];
  if (isObject(spec) && trusted.has(spec)) return () => false;
  const before = old === undefined ? [] : schemaUses(specForm(old));
  return (use) =>
    !before.some((known) => known.hasStatus === use.hasStatus && equalJson(known.schema, use.schema));
}

/** Schemas of a CRD that need validation. */
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

// spec.versions in findings about all of them: members of the internal Go types, in their order.

/** JSON with members in struct order. */
export function showVersions(form: SpecForm): string {
  if (!Array.isArray(form.spec["versions"])) return "null";
  return encodeInternal(form.versions.map(showVersion));
}

function showVersion(version: VersionForm): JsonObject {
  const { raw } = version;
  return {
    Name: version.name,
    Served: raw["served"] === true,
    Storage: raw["storage"] === true,
    Deprecated: raw["deprecated"] === true,
    DeprecationWarning: raw["deprecationWarning"] ?? null,
    Schema: showSchema(version),
    Subresources: showSubresources(version.subresources),
    AdditionalPrinterColumns: orNull(version.columns.map(showColumn)),
    SelectableFields: orNull(
      version.selectableFields.map((field) => ({ JSONPath: textOf(field["jsonPath"]) })),
    ),
  };
}

const orNull = (list: readonly JsonObject[]): unknown => (list.length > 0 ? list : null);

function showSchema(form: SharedForm): unknown {
  if (form.validation === undefined) return null;
  const schema = schemaOf(form);
  return { OpenAPIV3Schema: schema ? internalSchema(schema) : null };
}

function showSubresources(subresources: JsonObject | undefined): unknown {
  if (subresources === undefined) return null;
  const scale = objectAt(subresources, "scale");
  return {
    Status: isObject(subresources["status"]) ? {} : null,
    Scale: scale
      ? {
          SpecReplicasPath: textOf(scale["specReplicasPath"]),
          StatusReplicasPath: textOf(scale["statusReplicasPath"]),
          LabelSelectorPath: scale["labelSelectorPath"] ?? null,
        }
      : null,
  };
}

function showColumn(column: JsonObject): JsonObject {
  return {
    Name: textOf(column["name"]),
    Type: textOf(column["type"]),
    Format: textOf(column["format"]),
    Description: textOf(column["description"]),
    Priority: column["priority"] ?? 0,
    JSONPath: textOf(column["jsonPath"]),
  };
}
