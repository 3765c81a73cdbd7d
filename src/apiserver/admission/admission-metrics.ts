// Admission metrics, with the labels and buckets of k8s.io/apiserver/pkg/admission/metrics and
// pkg/admission/plugin/policy/validating/metrics (v0.36).
import { Histogram } from "../../apimachinery/meta/histogram.ts";
import type { AdmissionObserver, PolicyCheck, WebhookCall } from "../registry/admission-observer.ts";

const STEP_BOUNDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const WEBHOOK_BOUNDS = [...STEP_BOUNDS, 10, 25];
const CHECK_BOUNDS = [0.0000005, 0.001, 0.01, 0.1, 1];
/** Limit of distinct response codes, because a webhook may return any number; greater ones share a label. */
const CODE_MAX = 600;
/** Limit of label sets per metric, because configurations can have any names; further ones share a row. */
const ROWS_MAX = 2000;
const OTHER = "other";

type Labels = Readonly<Record<string, string>>;

/** A value for each combination of labels. */
class Rows<Value> {
  readonly #make: () => Value;
  readonly #rows = new Map<string, readonly [Labels, Value]>();

  constructor(make: () => Value) {
    this.#make = make;
  }

  of(labels: Labels): Value {
    const known = this.#rows.get(keyOf(labels));
    if (known !== undefined) return known[1];
    const isFull = this.#rows.size >= ROWS_MAX;
    const own = isFull ? Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])) : labels;
    const [, value] = this.#rows.get(keyOf(own)) ?? [own, this.#make()];
    this.#rows.set(keyOf(own), [own, value]);
    return value;
  }

  all(): readonly (readonly [Labels, Value])[] {
    return [...this.#rows.values()];
  }
}

const keyOf = (labels: Labels): string => Object.values(labels).join("\n");

class Count {
  value = 0;
}

const counts = () => new Rows(() => new Count());
const histograms = (bounds: readonly number[]) => new Rows(() => new Histogram(bounds));

const codeOf = (code: number): string => String(Math.min(code, CODE_MAX));

/** Error types of the verdicts that reject a request. */
const ERROR_TYPES: Readonly<Partial<Record<WebhookCall["verdict"], string>>> = {
  denied: "no_error",
  "failed-closed": "calling_webhook_error",
  error: "apiserver_internal_error",
};

export class AdmissionMetrics implements AdmissionObserver {
  readonly steps = histograms(STEP_BOUNDS);
  readonly webhooks = histograms(WEBHOOK_BOUNDS);
  readonly requests = counts();
  readonly rejections = counts();
  readonly failOpen = counts();
  readonly checks = counts();
  readonly checkTimes = histograms(CHECK_BOUNDS);

  webhookCalled({ webhook: name, mutating, attributes, verdict, code, durationMs }: WebhookCall): void {
    const type = mutating ? "admit" : "validating";
    const about = { name, type, operation: attributes.operation };
    const errorType = ERROR_TYPES[verdict];
    const rejected = String(errorType !== undefined);
    this.requests.of({ ...about, code: codeOf(code), rejected }).value++;
    this.webhooks.of({ ...about, rejected }).observe(durationMs / 1000);
    if (verdict === "failed-open") this.failOpen.of({ name, type }).value++;
    if (errorType === undefined) return;
    this.rejections.of({ ...about, error_type: errorType, rejection_code: codeOf(code) }).value++;
  }

  policyChecked({ policy, binding, action, message, durationMs }: PolicyCheck): void {
    const labels = {
      ...{ policy, policy_binding: binding },
      ...{ error_type: errorTypeOf(message), enforcement_action: action },
    };
    this.checks.of(labels).value++;
    this.checkTimes.of(labels).observe(durationMs / 1000);
  }

  stepTaken(type: string, operation: string, rejected: boolean, durationMs: number): void {
    this.steps.of({ type, operation, rejected: String(rejected) }).observe(durationMs / 1000);
  }
}

/** By the message alone, as upstream: a validation that evaluates to false also counts as invalid_error. */
function errorTypeOf(message: string): string {
  if (message.startsWith("compilation")) return "compile_error";
  return message.startsWith("validation failed due to running out of cost budget")
    ? "out_of_budget"
    : "invalid_error";
}
