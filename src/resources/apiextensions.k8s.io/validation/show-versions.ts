// spec.versions as findings about all of them show it: the members of the internal Go types, in their order.
import { isObject, type JsonObject, objectAt, textOf } from "../../../meta/json.ts";
import { encodeInternal, internalSchema } from "../../../schema/structural/root-fields.ts";
import { type SharedForm, type SpecForm, schemaOf, type VersionForm } from "./spec-form.ts";

/** JSON, with the members in the order of the types instead of that of their names. */
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
