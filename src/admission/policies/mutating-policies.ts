// Mutating policies: each that is about the request changes the object in turn. One that cannot refuses the request,
// unless its errors are passed over.

import { itemsOf, jsonOfValue, MessageValue } from "../../cel/values/collections.ts";
import { CelError, isList, type Value } from "../../cel/values/value.ts";
import { isObject, type JsonObject } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { StatusError } from "../../meta/status.ts";
import { describeTypeFaults } from "../../patch/apply/typed/check.ts";
import { mergeValues } from "../../patch/apply/typed/merge.ts";
import { type TypeNode, typeOfKind } from "../../patch/apply/typed/type-node.ts";
import { applyJsonPatch, type JsonPatchOperation } from "../../patch/json-patch.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import {
  Activation,
  Budget,
  checkConditions,
  OutOfBudget,
  POLICY_COST_MAX,
} from "../expressions/activation.ts";
import { misplacedObject } from "../expressions/compile.ts";
import { type Round, replaceObject } from "../mutators.ts";
import { refuse, type WriteRequest } from "../request.ts";
import type { Binding, MutatingPolicy, MutationStep } from "./compiled-policy.ts";
import { type Invocation, planInvocations } from "./invocations.ts";

interface Failure {
  readonly message: string;
  /** "": that of a 403. */
  readonly reason: string;
}

/** Rejects with a StatusError when a policy cannot do its work. */
export async function runMutatingPolicies(
  policies: readonly MutatingPolicy[],
  bindings: readonly Binding[],
  request: WriteRequest,
  round: Round,
): Promise<void> {
  if (round.again) round.policies.resume(request.attributes.object);
  const planned = await planInvocations(policies, bindings, request);
  const failures = planned.flatMap((item) =>
    "message" in item ? failuresOf(item.policy, item.binding, [item.message], "") : [],
  );
  for (const item of planned) {
    if ("message" in item) continue;
    const errors = await invoke(item, request, round);
    append(failures, failuresOf(item.policy, item.binding, errors, "Invalid"));
  }
  round.policies.finish(request.attributes.object);
  if (failures.length > 0) throw refusalOf(request, failures);
}

function failuresOf(
  policy: MutatingPolicy,
  binding: Binding | undefined,
  messages: readonly string[],
  reason: string,
): Failure[] {
  if (policy.ignoreErrors) return [];
  const by = binding
    ? `policy '${policy.name}' with binding '${binding.name}'`
    : `policy ${JSON.stringify(policy.name)}`;
  return messages.map((message) => ({ message: `${by} denied request: ${message}`, reason }));
}

const keyOf = ({ policy, binding, params }: Invocation<MutatingPolicy>): string =>
  JSON.stringify([policy.name, binding.name, params?.metadata.namespace, params?.metadata.name]);

/** What went wrong. */
async function invoke(
  invocation: Invocation<MutatingPolicy>,
  request: WriteRequest,
  round: Round,
): Promise<string[]> {
  const { policy, view, params } = invocation;
  const objects = await request.objectsIn(view);
  const input = request.inputFor({ view, objects, params });
  const match = checkConditions(policy.conditions, input);
  if ("error" in match) return [match.error];
  const key = keyOf(invocation);
  if (!match.matches || (round.again && !round.policies.isDue(key))) return [];
  const errors: string[] = [];
  let changed = false;
  for (const mutation of policy.mutations) {
    const error = await mutateOnce(invocation, mutation, request);
    if (typeof error === "string") errors.push(error);
    else changed ||= error.changed;
  }
  if (changed) {
    round.policies.objectChanged();
    round.repeat();
  }
  if (policy.reinvoked) round.policies.remember(key);
  return errors;
}

/** Each change sees the object as those before it have left it. */
async function mutateOnce(
  { policy, view, params }: Invocation<MutatingPolicy>,
  { type, expression }: MutationStep,
  request: WriteRequest,
): Promise<string | { readonly changed: boolean }> {
  const objects = await request.objectsIn(view);
  if (objects.object === undefined) return { changed: false };
  if (expression.problem !== undefined) return expression.problem;
  const input = request.inputFor({ view, objects, params });
  let made: JsonObject;
  try {
    const activation = new Activation(input, policy.variables, new Budget(POLICY_COST_MAX));
    const { value, error } = activation.evaluate(expression);
    if (value === undefined) return error ?? "";
    made = applyMutation(type, value, objects.object, request.kindIn(view));
  } catch (error) {
    if (error instanceof MutationError || error instanceof OutOfBudget) return error.message;
    throw error;
  }
  return { changed: await replaceObject(request, view, objects.object, made) };
}

function refusalOf({ attributes }: WriteRequest, failures: readonly Failure[]): StatusError {
  const causes = failures.map(({ message }) => ({ message }));
  const { status } = refuse(attributes, "", causes);
  const { message = "", reason = "" } = failures[0] ?? {};
  return new StatusError({ ...status, message, ...(reason === "" ? {} : { reason }) });
}

// One change by a mutating policy: the operations of a JSON patch, or an object that is laid over.

/** Why a policy cannot change an object. */
export class MutationError extends Error {}

/** The changed object; it may share parts with the given one. Throws a MutationError. */
export function applyMutation(
  type: MutationStep["type"],
  value: Value,
  object: Readonly<KubeObject>,
  view: ResourceView,
): JsonObject {
  try {
    return type === "patch" ? patch(value, object) : layOver(value, object, view);
  } catch (error) {
    throw error instanceof CelError ? new MutationError(error.message) : error;
  }
}

function patch(value: Value, object: Readonly<KubeObject>): JsonObject {
  if (!isList(value))
    throw new MutationError("type mismatch: JSONPatchType.expression should evaluate to array");
  let patched: JsonObject = object;
  for (const operation of itemsOf(value).map(readOperation)) {
    try {
      patched = applyJsonPatch(patched, [operation]);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      // A test that fails means that the patch is not for this object.
      if (operation.op === "test") return object;
      throw new MutationError(`JSON Patch: ${error.message}`);
    }
  }
  return patched;
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
  return { op: text("op") ?? "", path: text("path") ?? "", from: text("from"), value, literal: value };
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
  const faults = describeTypeFaults(type, configuration);
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
 * The paths of all atomic lists, maps and structs in the value, as ".spec.template.spec.containers[0].args": such a part
 * would replace a whole, which loses whatever is not named anew.
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
