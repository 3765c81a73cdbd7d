// Mutating policies: each matching policy changes the object in turn. A policy that fails rejects the request,
// unless failurePolicy Ignore applies.

import { append } from "../../../apimachinery/meta/lists.ts";
import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../apimachinery/meta/status.ts";
import {
  Activation,
  Budget,
  checkConditions,
  OutOfBudget,
  POLICY_COST_MAX,
} from "../expressions/activation.ts";
import { placeObject, type Round } from "../mutators.ts";
import { refuse, type WriteRequest } from "../request.ts";
import type { Binding, MutatingPolicy, MutationStep } from "./compiled-policy.ts";
import { type Invocation, planInvocations } from "./invocations.ts";
import { MutationError } from "./mutated-object.ts";
import { applyMutation } from "./mutations.ts";

interface Failure {
  readonly message: string;
  /** "": the reason of a 403. */
  readonly reason: string;
}

/** Rejects with a StatusError when a policy fails. */
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
  let isDirty = false;
  for (const item of planned) {
    if ("message" in item) continue;
    const { errors, ran } = await invoke(item, request, round);
    isDirty ||= ran;
    append(failures, failuresOf(item.policy, item.binding, errors, "Invalid"));
  }
  if (isDirty) {
    // As upstream, the last policy counts too: its own change is due for reinvocation.
    round.policies.objectChanged();
    round.repeat();
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

interface Invoked {
  /** Errors of the mutations. */
  readonly errors: readonly string[];
  /** As in a single mutation. */
  readonly ran: boolean;
}

async function invoke(
  invocation: Invocation<MutatingPolicy>,
  request: WriteRequest,
  round: Round,
): Promise<Invoked> {
  const { policy, view, params } = invocation;
  const objects = await request.objectsIn(view);
  const input = request.inputFor({ view, objects, params });
  const match = checkConditions(policy.conditions, input);
  if ("error" in match) return { errors: [match.error], ran: false };
  const key = keyOf(invocation);
  if (!match.matches || (round.again && !round.policies.isDue(key))) return { errors: [], ran: false };
  const errors: string[] = [];
  let changed = false;
  let ran = false;
  for (const mutation of policy.mutations) {
    const outcome = await mutateOnce(invocation, mutation, request);
    if ("error" in outcome) errors.push(outcome.error);
    else {
      changed ||= outcome.changed;
      ran ||= outcome.ran;
    }
  }
  if (changed) {
    round.policies.objectChanged();
    round.repeat();
  }
  if (policy.reinvoked) round.policies.remember(key);
  return { errors, ran };
}

interface Mutated {
  /** Whether a mutation was applied, even without a change. */
  readonly ran: boolean;
  readonly changed: boolean;
}

/** Each mutation receives the object as changed by earlier ones. */
async function mutateOnce(
  { policy, view, params }: Invocation<MutatingPolicy>,
  { type, expression }: MutationStep,
  request: WriteRequest,
): Promise<Mutated | { readonly error: string }> {
  const { deps } = request;
  const { object, oldObject } = await request.objectsIn(view);
  if (object === undefined) return { ran: false, changed: false };
  const objects = { object, oldObject };
  if (expression.problem !== undefined) return { error: expression.problem };
  const input = request.inputFor({ view, objects, params });
  let made: KubeObject | undefined;
  try {
    const activation = new Activation(input, policy.variables, new Budget(POLICY_COST_MAX));
    const { value, error } = activation.evaluate(expression);
    if (value === undefined) return { error: error ?? "" };
    made = applyMutation(type, value, { ...objects, view: request.kindIn(view), registry: deps.resources });
  } catch (error) {
    if (error instanceof MutationError || error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
  const changed = made !== undefined && (await placeObject(request, view, objects.object, made));
  return { ran: true, changed };
}

function refusalOf({ attributes }: WriteRequest, failures: readonly Failure[]): StatusError {
  const causes = failures.map(({ message }) => ({ message }));
  const { status } = refuse(attributes, "", causes);
  const { message = "", reason = "" } = failures[0] ?? {};
  return new StatusError({ ...status, message, ...(reason === "" ? {} : { reason }) });
}
