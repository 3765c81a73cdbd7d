// What admission reports of itself: calls of webhooks, checks of policies, and how long its two steps take. Observers keep
// figures and logs; none of them changes what is admitted.
import type { JsonPatchOperation } from "../patch/json-patch.ts";
import type { AdmissionAttributes } from "./admission.ts";

/**
 * - "allowed", "denied": the webhook returned it.
 * - "failed-open", "failed-closed": there was no usable answer, and failurePolicy was Ignore or Fail.
 * - "error": the server itself rejects the request, for example because a patch cannot be applied.
 */
export const WEBHOOK_VERDICTS = ["allowed", "denied", "failed-open", "failed-closed", "error"] as const;
export type WebhookVerdict = (typeof WEBHOOK_VERDICTS)[number];

/** One call of a webhook, at its end. */
export interface WebhookCall {
  readonly webhook: string;
  /** The name of the webhook configuration. */
  readonly configuration: string;
  readonly mutating: boolean;
  /** The webhook is called again because a later mutator changed the object. */
  readonly reinvoked: boolean;
  /** With the query. */
  readonly url: string;
  /** The request that is admitted. Its object may change after the call. */
  readonly attributes: AdmissionAttributes;
  /** Group and kind of the objects in the review. */
  readonly group: string;
  readonly kind: string;
  /** The AdmissionReview that was sent; undefined: nothing was sent. */
  readonly review: string | undefined;
  /** By the server's clock. */
  readonly startedMs: number;
  readonly durationMs: number;
  readonly verdict: WebhookVerdict;
  /** HTTP status code: 200 for "allowed", 0 for "error". */
  readonly code: number;
  /** Why it is not "allowed"; else "". */
  readonly message: string;
  readonly warnings: readonly string[];
  /** The JSON patch of the answer. */
  readonly patch: readonly JsonPatchOperation[];
}

export type AdmissionStep = "admit" | "validate";

/** A validation of a ValidatingAdmissionPolicy that failed, or an error that failurePolicy ignores. */
export interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly action: "allow" | "deny" | "audit" | "warn";
  readonly message: string;
  readonly durationMs: number;
}

export interface AdmissionObserver {
  webhookCalled(call: WebhookCall): void;
  policyChecked(check: PolicyCheck): void;
  stepTaken(step: AdmissionStep, operation: string, rejected: boolean, durationMs: number): void;
}
