// Builds the registry's definition of a CustomResourceDefinition.

import {
  cloneJson,
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from "../../apimachinery/json/json.ts";
import { decodeJson } from "../../apimachinery/json/json-decode.ts";
import { encodeJsonInTurns } from "../../apimachinery/json/json-in-turns.ts";
import type { FieldError } from "../../apimachinery/meta/field-error.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { ownTurn } from "../../apimachinery/scheduling/event-loop.ts";
import { compileSchema } from "../../apimachinery/schema/compile-schema.ts";
import { TooDear } from "../../apimachinery/schema/rules/run-rules.ts";
import { validateRules } from "../../apimachinery/schema/rules/validate-rules.ts";
import type { JsonSchema, SchemaNode } from "../../apimachinery/schema/schema-node.ts";
import {
  type ObjectValidation,
  type RuleValidator,
  validateObject,
} from "../../apimachinery/schema/validate-object.ts";
import { isHeavyCheck } from "../../apimachinery/schema/value/check-work.ts";
import type { Job, KeptSource, Workers } from "../../apimachinery/workers/job.ts";
import type {
  Column,
  ResourceDefinition,
  ResourceVersionDefinition,
  ResourceView,
  ScaleSubresource,
  Strategy,
  Verb,
} from "./definition/resource-definition.ts";

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

/** The resource definition of a CRD. The CRD must be valid, with its names defaulted. */
export function definitionFromCrd(crd: Readonly<KubeObject>): ResourceDefinition {
  const spec = objectAt(crd, "spec");
  const accepted = objectAt(objectAt(crd, "status"), "acceptedNames");
  const names = textAt(accepted, "plural") ? accepted : objectAt(spec, "names");
  const versions = objectsAt(spec, "versions").map(versionFromCrd);
  const kind = textAt(names, "kind");
  return {
    group: textAt(spec, "group"),
    resource: textAt(names, "plural"),
    singular: textAt(names, "singular") || kind.toLowerCase(),
    kind,
    listKind: textAt(names, "listKind") || `${kind}List`,
    shortNames: textsAt(names, "shortNames"),
    categories: textsAt(names, "categories"),
    namespaceScoped: spec?.["scope"] === "Namespaced",
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
  const statusSchema = objectAt(objectAt(schema, "properties"), "status");
  let node: SchemaNode | undefined;
  return {
    name: textAt(version, "name"),
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
    ...(statusSchema?.["default"] === undefined ? {} : { defaultsStatus: true }),
    ...(scale ? { scale: scaleFrom(scale) } : {}),
    columns: objectsAt(version, "additionalPrinterColumns").map(columnFrom),
    selectableFields: objectsAt(version, "selectableFields").map((item) => textAt(item, "jsonPath")),
  };
}

/** A column without a description gets upstream's text with its path. */
function columnFrom(column: JsonObject): Column {
  const { format, priority } = column;
  const jsonPath = textAt(column, "jsonPath");
  return {
    name: textAt(column, "name"),
    type: textAt(column, "type"),
    jsonPath,
    description:
      textAt(column, "description") || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    ...(typeof format === "string" ? { format } : {}),
    ...(typeof priority === "number" ? { priority } : {}),
  };
}

function scaleFrom(scale: JsonObject): ScaleSubresource {
  const selector = textAt(scale, "labelSelectorPath");
  return {
    specReplicasPath: textAt(scale, "specReplicasPath"),
    statusReplicasPath: textAt(scale, "statusReplicasPath"),
    ...(selector === "" ? {} : { labelSelectorPath: selector }),
  };
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
      if (old["status"] === undefined) delete object["status"];
      else object["status"] = cloneJson(old["status"]);
    },
  };
}

/** /status: only status of the request is used, and of its metadata only managedFields. */
export const customStatusStrategy: Strategy = {
  hasGeneration: true,
  resetFields: [["metadata"], ["spec"]],
  prepareForUpdate(object: KubeObject, old: Readonly<KubeObject>) {
    const { managedFields } = object.metadata;
    const status = object["status"];
    for (const key of Object.keys(object)) delete object[key];
    // The status can be most of the object, so the old one's managedFields and status are not copied first.
    const { managedFields: _managedFields, ...metadata } = old.metadata;
    Object.assign(object, cloneJson({ ...old, metadata, status: undefined }));
    if (status !== undefined) object["status"] = status;
    if (managedFields !== undefined) object.metadata.managedFields = managedFields;
  },
};

// Validates a custom resource by its schema and its CEL rules. Validation is synchronous, except where it would block the
// event loop for too long: then a worker thread runs it.

export interface CustomValidation {
  /** The object before an update. */
  readonly old?: Readonly<KubeObject>;
  /** Findings about its metadata. */
  readonly preceding: readonly FieldError[];
  readonly statusOnly?: boolean;
  /** Left out: everything runs in the caller's thread. */
  readonly workers?: Workers | undefined;
}

/** CEL cost of some 10 ms, or of 30 ms for rules that V8 has not optimized yet. */
const RULE_COST_HERE = 100_000;

const validateRulesBriefly: RuleValidator = (node, object, old, options) =>
  validateRules(node, object, old, { ...options, patience: RULE_COST_HERE });

/** All findings, those about metadata first. A promise rejects with 413, 429 and 504. */
export function validateCustom(
  view: ResourceView,
  object: Readonly<KubeObject>,
  validation: CustomValidation,
): FieldError[] | Promise<FieldError[]> {
  const { version } = view;
  const { old, preceding, statusOnly = false, workers } = validation;
  const options = { preceding, statusOnly, scale: version.scale };
  if (workers === undefined) return validateObject(version.node, object, { ...options, old, validateRules });
  const { raw } = version.node;
  const elsewhere = async (): Promise<FieldError[]> => {
    await ownTurn(); // the estimate itself may have taken long
    const check = { ...options, object: await textOf(object), old: old && (await textOf(old)) };
    return workers.runWith(validateCustomJob, check, sourceOf(raw));
  };
  if (isHeavyCheck(raw, object, object.metadata)) return elsewhere();
  try {
    return validateObject(version.node, object, { ...options, old, validateRules: validateRulesBriefly });
  } catch (error) {
    if (error instanceof TooDear) return elsewhere();
    throw error;
  }
}

// Worker job: validates a custom resource by the same code and schema.

/** Objects are passed as JSON, which is decoded faster than a structured clone. */
export interface CustomCheck extends Pick<ObjectValidation, "statusOnly" | "preceding" | "scale"> {
  readonly object: string;
  readonly old: string | undefined;
}

export const validateCustomJob: Job<CustomCheck, FieldError[], SchemaNode> = {
  name: "validateCustom",
  open: (bytes) => compileSchema(decodeJson(bytes).value as JsonSchema), // encoded by sourceOf()
  run: ({ object, old, ...options }, node) =>
    validateObject(node, objectOf(object), {
      ...options,
      old: old === undefined ? undefined : objectOf(old),
      validateRules,
    }),
};

/** managedFields are left out: neither schema nor rules can refer to them. */
export function textOf(object: Readonly<KubeObject>): Promise<string> {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return encodeJsonInTurns({ ...object, metadata });
}

const objectOf = (text: string): JsonObject => decodeJson(text).value as JsonObject; // encoded by textOf()

let keysGiven = 0;
const keyOf = memoize((_schema: JsonSchema) => `schema ${++keysGiven}`);

/** Cache key of a schema in the workers: a changed schema is another object. */
export const sourceOf = (raw: JsonSchema): KeptSource => ({
  key: keyOf(raw),
  bytes: async () => Buffer.from(await encodeJsonInTurns(raw)),
});
