// A CRD's spec in the form in which a real server checks it: what is the same in all versions stands once at the top,
// and is reported there (spec.validation, spec.subresources …); the rest is reported at its version.
//
//   versions: [{ name: v1, schema: S, subresources: U }]            →  validation: S, subresources: U
//   versions: [{ name: v1, schema: S }, { name: v2, schema: T }]    →  versions[0].schema: S, versions[1].schema: T
import { equalJson, type JsonObject, objectAt, objectsOf, textOf } from "../../../meta/json.ts";
import type { JsonSchema } from "../../../schema/schema-node.ts";

/** What may stand at the top as well as at a version. */
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
