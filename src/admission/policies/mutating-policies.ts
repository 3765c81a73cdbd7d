// Mutating policies: each that is about the request changes the object in turn. One that cannot refuses the request,
// unless its errors are passed over.

import type { JsonObject } from "../../meta/json.ts";
import { append } from "../../meta/lists.ts";
import { StatusError } from "../../meta/status.ts";
import { refuse } from "../deps.ts";
import {
  Activation,
  Budget,
  checkConditions,
  OutOfBudget,
  POLICY_COST_MAX,
} from "../expressions/activation.ts";
import type { Round } from "../mutators.ts";
import { replaceObject } from "../mutators.ts";
import type { WriteRequest } from "../request.ts";
import type { Binding, MutatingPolicy, MutationStep } from "./compiled-policy.ts";
import { type Invocation, planInvocations } from "./invocations.ts";
import { applyMutation, MutationError } from "./mutations.ts";

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
