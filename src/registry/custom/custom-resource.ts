// From a CustomResourceDefinition to what the registry serves.
import { cloneJson, isObject, type JsonObject, objectAt } from "../../meta/json.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import type {
  Column,
  ResourceDefinition,
  ResourceVersionDefinition,
  ScaleSubresource,
  Strategy,
  Verb,
} from "../definition/resource-definition.ts";

const VERBS: readonly Verb[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];

/** The definition that a CRD stands for. The CRD must be valid, with its names defaulted. */
export function definitionFromCrd(crd: Readonly<KubeObject>): ResourceDefinition {
  const spec = objectAt(crd, "spec") ?? {};
  const accepted = objectAt(objectAt(crd, "status"), "acceptedNames");
  const names = accepted && text(accepted["plural"]) ? accepted : (objectAt(spec, "names") ?? {});
  const versions = list(spec["versions"]).map(versionFromCrd);
  const kind = text(names["kind"]);
  return {
    group: text(spec["group"]),
    resource: text(names["plural"]),
    singular: text(names["singular"]) || kind.toLowerCase(),
    kind,
    listKind: text(names["listKind"]) || `${kind}List`,
    shortNames: texts(names["shortNames"]),
    categories: texts(names["categories"]),
    namespaceScoped: spec["scope"] === "Namespaced",
    custom: true,
    schemaRevision: Number(crd.metadata.resourceVersion ?? 0),
    verbs: VERBS,
    strategy: versions.find((version) => version.storage)?.strategy ?? {},
    versions,
  };
}

function versionFromCrd(version: JsonObject): ResourceVersionDefinition {
  const schema = objectAt(objectAt(version, "schema"), "openAPIV3Schema") ?? { type: "object" };
  const subresources = objectAt(version, "subresources");
  const hasStatus = isObject(subresources?.["status"]);
  const scale = objectAt(subresources, "scale");
  const warning = version["deprecationWarning"];
  let node: SchemaNode | undefined;
  return {
    name: text(version["name"]),
    served: version["served"] === true,
    storage: version["storage"] === true,
    ...(version["deprecated"] === true ? { deprecated: true } : {}),
    ...(typeof warning === "string" ? { deprecationWarning: warning } : {}),
    schema,
    get node() {
      node ??= compileSchema(schema); // most kinds of a server are never written to
      return node;
    },
    strategy: customStrategy(hasStatus),
    ...(hasStatus ? { status: customStatusStrategy } : {}),
    ...(scale ? { scale: scaleFrom(scale) } : {}),
    columns: list(version["additionalPrinterColumns"]).map(columnFrom),
    selectableFields: list(version["selectableFields"]).map((item) => text(item["jsonPath"])),
  };
}

function columnFrom(column: JsonObject): Column {
  const { format, description, priority } = column;
  return {
    name: text(column["name"]),
    type: text(column["type"]),
    jsonPath: text(column["jsonPath"]),
    ...(typeof format === "string" ? { format } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof priority === "number" ? { priority } : {}),
  };
}

function scaleFrom(scale: JsonObject): ScaleSubresource {
  const selector = scale["labelSelectorPath"];
  return {
    specReplicasPath: text(scale["specReplicasPath"]),
    statusReplicasPath: text(scale["statusReplicasPath"]),
    ...(typeof selector === "string" && selector !== "" ? { labelSelectorPath: selector } : {}),
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function list(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function customStrategy(hasStatus: boolean): Strategy {
  if (!hasStatus) return { hasGeneration: true };
  return {
    hasGeneration: true,
    resetFields: [["status"]],
    prepareForCreate(object) {
      delete object["status"];
    },
    prepareForUpdate(object, old) {
      carryOver(object, old, "status");
    },
  };
}

/** /status: of what was sent only status counts, and of metadata only who owns the fields. */
export const customStatusStrategy: Strategy = {
  hasGeneration: true,
  resetFields: [["metadata"], ["spec"]],
  prepareForUpdate(object: KubeObject, old: Readonly<KubeObject>) {
    const { managedFields } = object.metadata;
    const status = object["status"];
    for (const key of Object.keys(object)) delete object[key];
    Object.assign(object, cloneJson(old));
    if (status === undefined) delete object["status"];
    else object["status"] = status;
    if (managedFields === undefined) delete object.metadata.managedFields;
    else object.metadata.managedFields = managedFields;
  },
};

function carryOver(object: KubeObject, old: Readonly<KubeObject>, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = cloneJson(old[field]);
}
