// Admission metrics, under the names and labels of a kube-apiserver.
import type { AdmissionMetrics } from "../apiserver/admission/admission-metrics.ts";
import { counter, histogram, type Metric } from "../apiserver/http/metrics.ts";

const STEP = ["type", "operation", "rejected"];
const WEBHOOK = ["name", "type", "operation"];
const CHECK = ["policy", "policy_binding", "error_type", "enforcement_action"];

export function admissionMetrics(admission: AdmissionMetrics): readonly Metric[] {
  const rowsOf = (rows: AdmissionMetrics["requests"]) => () =>
    rows.all().map(([labels, { value }]) => [labels, value] as const);
  return [
    histogram(
      "apiserver_admission_step_admission_duration_seconds",
      "Time of each of the two steps of admission: admit (mutating) and validate.",
      STEP,
      () => admission.steps.all(),
    ),
    histogram(
      "apiserver_admission_webhook_admission_duration_seconds",
      "Time of a call of an admission webhook.",
      [...WEBHOOK, "rejected"],
      () => admission.webhooks.all(),
    ),
    counter(
      "apiserver_admission_webhook_request_total",
      "Calls of admission webhooks, by status code; larger codes count as 600.",
      [...WEBHOOK, "code", "rejected"],
      rowsOf(admission.requests),
    ),
    counter(
      "apiserver_admission_webhook_rejection_count",
      "Requests that were rejected by an admission webhook (no_error), because it could not be called (calling_webhook_error), or because the server could not use its answer (apiserver_internal_error).",
      [...WEBHOOK, "error_type", "rejection_code"],
      rowsOf(admission.rejections),
    ),
    counter(
      "apiserver_admission_webhook_fail_open_count",
      "Failed calls of admission webhooks that failurePolicy Ignore passed over.",
      ["name", "type"],
      rowsOf(admission.failOpen),
    ),
    counter(
      "apiserver_validating_admission_policy_check_total",
      "Failed validations of ValidatingAdmissionPolicies, by what their binding enforces, and errors that failurePolicy ignores.",
      CHECK,
      rowsOf(admission.checks),
    ),
    histogram(
      "apiserver_validating_admission_policy_check_duration_seconds",
      "Time of the evaluation of such validations.",
      CHECK,
      () => admission.checkTimes.all(),
    ),
  ];
}
