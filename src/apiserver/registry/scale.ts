// The scale subresource: an object's replicas, read and written as a Scale whatever the object's own form is. A write to
// the Scale is an update of the object: it passes the same steps and validation.

import { cloneJson, isObject, type JsonObject, objectAt } from "../../apimachinery/json/json.ts";
import { invalid, required } from "../../apimachinery/meta/field-error.ts";
import type { LabelRequirement } from "../../apimachinery/meta/label-requirement.ts";
import { labelRequirements } from "../../apimachinery/meta/label-selector.ts";
import { memoize } from "../../apimachinery/meta/memoize.ts";
import type { KubeObject, ObjectMeta } from "../../apimachinery/meta/object-meta.ts";
import {
  badRequest,
  conflict,
  internalServerError,
  invalidObject,
  plainError,
} from "../../apimachinery/meta/status.ts";
import {
  type ReplicasPaths,
  toObjectEntries,
  toScaleEntries,
} from "../../apimachinery/patch/apply/scale-entries.ts";
import { compileSchema } from "../../apimachinery/schema/compile-schema.ts";
import { schemaLibrary, schemaRef } from "../../apimachinery/schema/go/schema-library.ts";
import { keysOf, misfit, valueAt } from "../../apimachinery/schema/validate-scale.ts";
import type {
  Column,
  ResourceVersionDefinition,
  ResourceView,
  ScaleSubresource,
} from "./definition/resource-definition.ts";
import { apiVersionOf } from "./definition/view.ts";
import { cellOf } from "./table/columns.ts";

// Scale (autoscaling/v1) as a kind. Each version of a scalable kind has a view of its own, because its table shows the
// values at that version's paths.

const TYPE = "io.k8s.api.autoscaling.v1.Scale";

/** The Scale view of a version; undefined when the version has no scale subresource. */
export const scaleViewOf = memoize(makeView, ({ version }) => version);

function makeView({ definition, version: { scale: paths } }: ResourceView): ResourceView | undefined {
  if (paths === undefined) return undefined;
  const columns = columnsFor(paths);
  const cells = columns.map(cellOf);
  const version: ResourceVersionDefinition = {
    name: "v1",
    served: true,
    storage: true,
    schema: { $ref: TYPE },
    get node() {
      return compileSchema(schemaRef(TYPE), schemaLibrary().resolve);
    },
    columns,
    selectableFields: [],
  };
  const { resource, namespaceScoped } = definition;
  return {
    version,
    definition: {
      group: "autoscaling",
      resource,
      singular: "",
      kind: "Scale",
      listKind: "ScaleList",
      shortNames: [],
      categories: [],
      namespaceScoped,
      custom: false,
      verbs: [],
      strategy: {},
      versions: [version],
      printRow: (object, nowMs) => ({ cells: cells.map((cell) => cell?.(object, nowMs) ?? null) }),
    },
  };
}

/** The paths are those of the object, but are looked up in the Scale, as upstream. */
function columnsFor({ specReplicasPath, statusReplicasPath }: ScaleSubresource): Column[] {
  return [
    {
      name: "Name",
      type: "string",
      format: "name",
      jsonPath: ".metadata.name",
      description: "Name of the object.",
    },
    { name: "Desired", type: "integer", jsonPath: specReplicasPath, description: "Copies that are wanted." },
    {
      name: "Available",
      type: "integer",
      jsonPath: statusReplicasPath,
      description: "Copies that there are.",
    },
    {
      name: "Age",
      type: "date",
      jsonPath: ".metadata.creationTimestamp",
      description: "Time since the object was created.",
    },
  ];
}

/** Marks unset replicas while a write changes the Scale. */
const NOT_SET = -(2 ** 31);

/** The Scale of an object. Throws 500 when the object's values do not fit a Scale. */
export function readScale(view: ResourceView, object: Readonly<KubeObject>): KubeObject {
  const scale = makeScale(view, object);
  if (scale.replicas !== undefined) return scale.object;
  throw internalServerError(`the spec replicas field "${pathsOf(view).specReplicasPath}" does not exist`);
}

/** The Scale of an object that is to be changed: unset replicas stay unset until a write sets them. */
export function scaleToChange(view: ResourceView, live: Readonly<KubeObject>): KubeObject {
  const { object, replicas } = makeScale(view, live);
  if (replicas === undefined) object["spec"] = { replicas: NOT_SET };
  setEntries(object.metadata, toScaleEntries(live.metadata.managedFields, replicasPaths(view)));
  return object;
}

/** Applies a changed Scale to the live object. Throws 400, 409 and 422. */
export function changeThroughScale(
  view: ResourceView,
  live: Readonly<KubeObject>,
  after: Readonly<KubeObject>,
): KubeObject {
  const { specReplicasPath } = pathsOf(view);
  const replicas = objectAt(after, "spec")?.["replicas"] ?? 0;
  if (!view.definition.custom) checkScale(view, live, after, Number(replicas));
  else if (replicas === NOT_SET)
    throw badRequest(`the spec replicas field "${specReplicasPath}" cannot be empty`);
  const object: KubeObject = cloneJson(live);
  setNested(object, keysOf(specReplicasPath), replicas);
  // Without a resourceVersion the write is unconditional.
  if (after.metadata.resourceVersion) object.metadata.resourceVersion = after.metadata.resourceVersion;
  const entries = toObjectEntries(live.metadata.managedFields, after.metadata.managedFields, {
    apiVersion: apiVersionOf(view),
    paths: replicasPaths(view),
  });
  setEntries(object.metadata, entries);
  return object;
}

/** The Scale after a write. */
export const scaleAfter = (view: ResourceView, object: Readonly<KubeObject>): KubeObject =>
  makeScale(view, object).object;

function setEntries(metadata: ObjectMeta, entries: ObjectMeta["managedFields"]): void {
  if (entries === undefined) delete metadata.managedFields;
  else metadata.managedFields = entries;
}

/**
 * Validation of a kube-apiserver's scale endpoints (registry/apps/deployment/storage); custom resources are validated by
 * their schema. Throws 409 and 422.
 */
function checkScale(
  { definition }: ResourceView,
  live: Readonly<KubeObject>,
  { metadata }: Readonly<KubeObject>,
  replicas: number,
): void {
  const negative = invalid("spec.replicas", replicas, "must be greater than or equal to 0");
  const errors = [
    ...(metadata.name ? [] : [required("metadata.name", "name or generateName is required")]),
    ...(metadata.namespace ? [] : [required("metadata.namespace", "")]),
    ...(replicas < 0 ? [negative] : []),
  ];
  const { name = "", uid } = live.metadata;
  if (errors.length > 0) throw invalidObject({ group: "autoscaling", kind: "Scale" }, name, errors);
  if (!metadata.uid || metadata.uid === uid) return;
  const { group, resource } = definition;
  const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`;
  throw conflict({ group, resource: `${resource}/scale` }, name, why);
}

function pathsOf({ version }: ResourceView): ScaleSubresource {
  if (version.scale === undefined) throw new Error("objects of this version have no scale");
  return version.scale;
}

/** Path of the replicas in each version of the kind. */
function replicasPaths({ definition }: ResourceView): ReplicasPaths {
  return new Map(
    definition.versions.map((version) => [
      apiVersionOf({ definition, version }),
      version.scale && keysOf(version.scale.specReplicasPath),
    ]),
  );
}

interface MadeScale {
  readonly object: KubeObject;
  /** undefined: replicas are unset. */
  readonly replicas: number | undefined;
}

function makeScale(view: ResourceView, object: Readonly<KubeObject>): MadeScale {
  const paths = pathsOf(view);
  const replicas = countAt(object, paths.specReplicasPath);
  const selector = paths.labelSelectorPath ? selectorAt(view, object, paths.labelSelectorPath) : "";
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
  const scale = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: cloneJson(metadata) as ObjectMeta, // the clone leaves out what is undefined
    spec: replicas ? { replicas } : {},
    status: { replicas: countAt(object, paths.statusReplicasPath) ?? 0, ...(selector ? { selector } : {}) },
  };
  return { object: scale, replicas };
}

function countAt(object: Readonly<KubeObject>, path: string): number | undefined {
  const { value, error } = valueAt(object, path);
  if (error !== undefined) throw plainError(error);
  if (value === undefined) return undefined;
  if (typeof value !== "bigint" && !Number.isSafeInteger(value))
    throw plainError(misfit(path, value, "int64"));
  return Number(BigInt.asIntN(32, BigInt(value as bigint | number))); // number or bigint, as checked above
}

/** Built-in kinds hold a selector object, custom resources its text. */
function selectorAt({ definition }: ResourceView, object: Readonly<KubeObject>, path: string): string {
  const { value, error } = valueAt(object, path);
  if (error !== undefined) throw plainError(error);
  if (value === undefined || typeof value === "string") return value ?? "";
  if (isObject(value) && !definition.custom) return selectorText(value);
  throw plainError(misfit(path, value, "string"));
}

function setNested(object: JsonObject, keys: readonly string[], value: unknown): void {
  let parent = object;
  for (const [index, key] of keys.slice(0, -1).entries()) {
    const found = parent[key];
    if (found !== undefined && !isObject(found)) {
      const shown = keys.slice(0, index + 1).join(".");
      throw plainError(`value cannot be set because .${shown} is not a map[string]interface{}`);
    }
    const below: JsonObject = found ?? {};
    parent[key] = below;
    parent = below;
  }
  parent[keys.at(-1) ?? ""] = value;
}

/** A LabelSelector, or a plain map of labels, in the syntax of labelSelector=. */
export function selectorText(selector: JsonObject): string {
  const isSelector = isObject(selector["matchLabels"]) || Array.isArray(selector["matchExpressions"]);
  const requirements = labelRequirements(isSelector ? selector : { matchLabels: selector });
  return requirements.map(requirementText).join(",");
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "=":
      return `${key}=${values.join()}`;
    default:
      return `${key} ${operator} (${[...values].sort().join(",")})`;
  }
}
