// Observability of admission: webhook calls, policy checks, and the duration of its two phases. Observers keep metrics
// and logs; none of them changes the admitted object.
import type { JsonPatchOperation } from "../../apimachinery/patch/json-patch.ts";
import type { AdmissionAttributes, AdmissionStepObserver } from "./admission.ts";

/**
 * - "allowed", "denied": the webhook returned it.
 * - "failed-open", "failed-closed": there was no usable answer, and failurePolicy was Ignore or Fail.
 * - "error": the server itself rejects the request, for example because a patch cannot be applied.
 */
export const WEBHOOK_VERDICTS = ["allowed", "denied", "failed-open", "failed-closed", "error"] as const;
export type WebhookVerdict = (typeof WEBHOOK_VERDICTS)[number];

/** One completed call of a webhook. */
export interface WebhookCall {
  readonly webhook: string;
  /** Name of the webhook configuration. */
  readonly configuration: string;
  readonly mutating: boolean;
  /** The webhook was reinvoked because a later mutator changed the object. */
  readonly reinvoked: boolean;
  /** With the query. */
  readonly url: string;
  /** The admitted request. Its object may change after the call. */
  readonly attributes: AdmissionAttributes;
  /** Group and kind of the objects in the review. */
  readonly group: string;
  readonly kind: string;
  /** The AdmissionReview that was sent; undefined: none was sent. */
  readonly review: string | undefined;
  /** By the server's clock. */
  readonly startedMs: number;
  readonly durationMs: number;
  readonly verdict: WebhookVerdict;
  /** HTTP status code: 200 for "allowed", 0 for "error". */
  readonly code: number;
  /** Reason of a verdict other than "allowed"; else "". */
  readonly message: string;
  readonly warnings: readonly string[];
  /** The JSON patch of the response. */
  readonly patch: readonly JsonPatchOperation[];
}

/** A failed validation of a ValidatingAdmissionPolicy, or an error that failurePolicy ignores. */
export interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly action: "allow" | "deny" | "audit" | "warn";
  readonly message: string;
  readonly durationMs: number;
}

export interface AdmissionObserver extends AdmissionStepObserver {
  webhookCalled(call: WebhookCall): void;
  policyChecked(check: PolicyCheck): void;
}
