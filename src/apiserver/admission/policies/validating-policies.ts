// Validating policies: all validations of all matching policies are evaluated. The first failure determines the
// error.

import { trimSpace } from "../../../apimachinery/go/white-space.ts";
import { lookupTable } from "../../../apimachinery/json/json.ts";
import { elapsedMs } from "../../../apimachinery/meta/clock.ts";
import { StatusError } from "../../../apimachinery/meta/status.ts";
import type { PolicyCheck } from "../../registry/admission-observer.ts";
import {
  Activation,
  Budget,
  checkConditions,
  type ExpressionInput,
  type Outcome,
  OutOfBudget,
  POLICY_COST_MAX,
} from "../expressions/activation.ts";
import { refuse, type WriteRequest } from "../request.ts";
import type { Binding, ValidatingPolicy, ValidationRule } from "./compiled-policy.ts";
import { type Invocation, planInvocations } from "./invocations.ts";

const MESSAGE_BYTES_MAX = 5 * 1024;
const CODES: Readonly<Record<string, number>> = lookupTable({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
});
const INVALID = 422;

/** A validation that failed, or could not be evaluated. */
interface Denial {
  readonly message: string;
  /** "": it could not be evaluated. */
  readonly reason: string;
  /** Duration of the evaluation; absent: 0. */
  readonly durationMs?: number;
}

/** Rejects with a StatusError when a policy denies the request. */
export async function runValidatingPolicies(
  policies: readonly ValidatingPolicy[],
  bindings: readonly Binding[],
  request: WriteRequest,
): Promise<void> {
  let refusal: StatusError | undefined;
  const refuse = (policy: ValidatingPolicy, binding: Binding | undefined, denial: Denial) => {
    refusal ??= refusalOf(request, policy.name, binding?.name, denial);
  };
  for (const planned of await planInvocations(policies, bindings, request)) {
    const { policy, binding } = planned;
    if ("message" in planned) {
      if (!policy.ignoreErrors) refuse(policy, binding, { message: planned.message, reason: "" });
      continue;
    }
    const { denials, ignored, annotationErrors } = await evaluate(planned, request);
    const report = (action: PolicyCheck["action"], { message, durationMs = 0 }: Denial) => {
      const about = { policy: policy.name, binding: planned.binding.name };
      request.deps.observer?.policyChecked({ ...about, action, message, durationMs });
    };
    for (const denial of ignored) report("allow", denial);
    for (const denial of denials) {
      for (const action of planned.binding.actions) report(ENFORCED[action] ?? "deny", denial);
      if (planned.binding.actions.includes("Deny")) refuse(policy, binding, denial);
      if (!planned.binding.actions.includes("Warn")) continue;
      const where = `ValidatingAdmissionPolicy '${policy.name}' with binding '${planned.binding.name}'`;
      request.attributes.context.warn(`Validation failed for ${where}: ${denial.message}`);
    }
    for (const message of annotationErrors) {
      report("deny", { message, reason: "" });
      refuse(policy, binding, { message, reason: "" });
    }
  }
  if (refusal) throw refusal;
}

/** The action by validationActions of a binding. */
const ENFORCED: Readonly<Record<string, PolicyCheck["action"]>> = lookupTable({
  Deny: "deny",
  Audit: "audit",
  Warn: "warn",
});

interface Verdict {
  readonly denials: readonly Denial[];
  /** Errors that failurePolicy Ignore skips. */
  readonly ignored: readonly Denial[];
  /** Errors of audit annotations; they deny the request whatever the actions of the binding. */
  readonly annotationErrors: readonly string[];
}

const PASSED: Verdict = { denials: [], ignored: [], annotationErrors: [] };

async function evaluate(
  { policy, view, params }: Invocation<ValidatingPolicy>,
  request: WriteRequest,
): Promise<Verdict> {
  const objects = await request.objectsIn(view);
  const input = request.inputFor({ view, objects, params });
  const failed = (message: string): Verdict =>
    policy.ignoreErrors
      ? { ...PASSED, ignored: [{ message, reason: "" }] }
      : { ...PASSED, denials: [{ message, reason: "" }] };
  const match = checkConditions(policy.conditions, input);
  if ("error" in match) return failed(match.error);
  if (!match.matches) return PASSED;
  try {
    return evaluateRules(policy, input);
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

function evaluateRules(policy: ValidatingPolicy, input: ExpressionInput): Verdict {
  const budget = new Budget(POLICY_COST_MAX);
  const rules = new Activation(input, policy.variables, budget);
  const outcomes = policy.rules.map(({ rule }) => {
    const from = elapsedMs();
    return { ...rules.evaluate(rule), durationMs: elapsedMs() - from };
  });
  const messages = evaluateMessages(policy, input, budget);
  const denials: Denial[] = [];
  const ignored: Denial[] = [];
  policy.rules.forEach((rule, index) => {
    const { value, error, durationMs = 0 } = outcomes[index] ?? {};
    if (value === true) return;
    const unclear = error ?? (typeof messages === "string" ? messages : undefined);
    if (unclear === undefined) {
      const own = typeof messages === "string" ? undefined : messages[index];
      denials.push({ message: messageOf(rule, own), reason: rule.reason, durationMs });
    } else (policy.ignoreErrors ? ignored : denials).push({ message: unclear, reason: "", durationMs });
  });
  const notes = new Activation(input, policy.variables, new Budget(POLICY_COST_MAX));
  const errors = policy.annotations.flatMap((annotation) => notes.evaluate(annotation).error ?? []);
  return { denials, ignored, annotationErrors: policy.ignoreErrors ? [] : errors };
}

/** Evaluates message expressions; a text is the error that makes them unusable. */
function evaluateMessages(
  policy: ValidatingPolicy,
  input: ExpressionInput,
  budget: Budget,
): readonly (Outcome | undefined)[] | string {
  const activation = new Activation(input, policy.variables, budget);
  try {
    return policy.rules.map(
      ({ messageExpression }) => messageExpression && activation.evaluate(messageExpression),
    );
  } catch (error) {
    if (error instanceof OutOfBudget) return `failed messageExpression: ${error.message}`;
    throw error;
  }
}

function messageOf({ message, rule }: ValidationRule, made: Outcome | undefined): string {
  const text = typeof made?.value === "string" ? trimSpace(made.value) : "";
  if (text !== "" && Buffer.byteLength(text) <= MESSAGE_BYTES_MAX && !text.includes("\n")) return text;
  return trimSpace(message) || `failed expression: ${trimSpace(rule.text)}`;
}

/** A 403 with the reason of the validation. */
function refusalOf(
  { attributes }: WriteRequest,
  policy: string,
  binding: string | undefined,
  denial: Denial,
): StatusError {
  const by = binding === undefined ? "" : ` with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${denial.message}`;
  const { status } = refuse(attributes, message, [{ message }]);
  const reason = denial.reason || "Invalid";
  return new StatusError({ ...status, reason, code: CODES[reason] ?? INVALID });
}
