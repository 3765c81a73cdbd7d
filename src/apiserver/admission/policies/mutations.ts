// A single mutation of a mutating policy: JSON patch operations, or an apply configuration.
import { itemsOf, jsonOfValue, MessageValue } from "../../../apimachinery/cel/values/collections.ts";
import { CelError, isList, type Value } from "../../../apimachinery/cel/values/value.ts";
import { isObject, type JsonObject } from "../../../apimachinery/json/json.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { describeTypeFaults } from "../../../apimachinery/patch/apply/typed/check.ts";
import { mergeValues } from "../../../apimachinery/patch/apply/typed/merge.ts";
import { type TypeNode, typeOfKind } from "../../../apimachinery/patch/apply/typed/type-node.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../../../apimachinery/patch/json-patch.ts";
import { PatchDoesNotApply } from "../../../apimachinery/patch/patch-errors.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { ResourceRegistry } from "../../registry/resource-registry.ts";
import { misplacedObject } from "../expressions/compile.ts";
import type { MutationStep } from "./compiled-policy.ts";
import { decodePatched, MutationError, restoreMerged } from "./mutated-object.ts";
import { nativeOfValue } from "./native-value.ts";

interface Mutable {
  readonly object: Readonly<KubeObject>;
  /** The view of the object's kind. */
  readonly view: ResourceView;
  readonly registry: ResourceRegistry;
}

/**
 * The mutated object; undefined: a test operation of the patch has failed. Throws a MutationError, and a StatusError
 * for undecodable results.
 */
export function applyMutation(
  type: MutationStep["type"],
  value: Value,
  { object, view, registry }: Mutable,
): KubeObject | undefined {
  try {
    if (type === "apply") return restoreMerged(view, layOver(value, object, view));
    const patched = patch(value, object);
    return patched && decodePatched(view, patched, registry);
  } catch (error) {
    throw error instanceof CelError ? new MutationError(error.message) : error;
  }
}

const TEST_FAILED = ": test failed";

/** undefined: a test operation has failed. */
function patch(value: Value, object: Readonly<KubeObject>): JsonObject | undefined {
  if (!isList(value))
    throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array");
  const operations = itemsOf(value).map(readOperation);
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (!(error instanceof PatchDoesNotApply)) throw error;
    if (error.why.endsWith(TEST_FAILED)) return undefined;
    throw new MutationError(`JSON Patch: ${error.why}`);
  }
}

function readOperation(item: Value): JsonPatchOperation {
  if (!(item instanceof MessageValue)) {
    throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch");
  }
  const text = (field: string): string | undefined => {
    const found = item.find(field);
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const given = item.find("value");
  if (given instanceof MessageValue) demandPlace(given, given.name);
  const value = given === undefined ? undefined : jsonOfValue(given);
  return { op: text("op") ?? "", path: text("path") ?? "", from: text("from"), value };
}

function demandPlace(value: Value, name?: string): void {
  const misplaced = misplacedObject(value, name);
  if (misplaced !== undefined) throw new MutationError(`type mismatch: ${misplaced}`);
}

function layOver(value: Value, object: Readonly<KubeObject>, view: ResourceView): JsonObject {
  demandPlace(value);
  const applied = jsonOfValue(value);
  if (!isObject(applied)) throw new MutationError("invalid return type");
  const configuration: JsonObject = { ...applied, apiVersion: object.apiVersion, kind: object.kind };
  const type = typeOfKind(view.version.node);
  const refuse = (why: string) => new MutationError(`error applying patch: ${why}`);
  const native = Object.assign({}, nativeOfValue(value), {
    apiVersion: object.apiVersion,
    kind: object.kind,
  });
  const faults = describeTypeFaults(type, native);
  if (faults !== undefined) throw refuse(`failed to convert patch object to typed object: ${faults}`);
  const atomics = findAtomics(type, configuration);
  if (atomics.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`;
    throw refuse(`invalid ApplyConfiguration: ${why}`);
  }
  const merged = mergeValues(type, object, configuration);
  if (!isObject(merged)) throw refuse("failed to merge patch: the object is none any more");
  return merged;
}

/**
 * The paths of all atomic lists, maps and structs in the value, as ".spec.template.spec.containers[0].args". Such a
 * part would replace the whole field, and lose unmentioned members.
 */
export function findAtomics(type: TypeNode, value: unknown, path = ""): string[] {
  if (isObject(value) && type.map) {
    const { atomic, fields } = type.map;
    const below = Object.keys(value)
      .sort()
      .flatMap((key) => {
        const field = fields.get(key);
        return field ? findAtomics(field, value[key], `${path}.${key}`) : [];
      });
    return atomic ? [path, ...below] : below;
  }
  if (!Array.isArray(value) || !type.list) return [];
  const { kind, item } = type.list;
  const below = value.flatMap((each, index) => findAtomics(item, each, `${path}[${index}]`));
  return kind === "atomic" ? [path, ...below] : below;
}
