// Observers of admission: metrics, the log of webhook calls, and the server's log.

import { boundedText } from "../apimachinery/go/clone.ts";
import { AdmissionMetrics } from "../apiserver/admission/admission-metrics.ts";
import type { Log } from "../apiserver/http/log.ts";
import type { AdmissionObserver, WebhookCall } from "../apiserver/registry/admission-observer.ts";
import { WebhookLog } from "../features/webhook-calls/webhook-log.ts";

/** Limit of a message in a log line, because webhooks choose it. */
const MESSAGE_CHARACTERS_MAX = 4096;

export function observeAdmission(log: Log): {
  readonly observer: AdmissionObserver;
  readonly admission: AdmissionMetrics;
  readonly webhookCalls: WebhookLog;
} {
  const admission = new AdmissionMetrics();
  const webhookCalls = new WebhookLog();
  const observer: AdmissionObserver = {
    webhookCalled(call) {
      admission.webhookCalled(call);
      webhookCalls.webhookCalled(call);
      logCall(log, call);
    },
    policyChecked(check) {
      admission.policyChecked(check);
      if (check.action !== "deny") return;
      const { policy, binding, message } = check;
      log.info({ policy, binding }, `denied by ValidatingAdmissionPolicy ${policy}: ${bounded(message)}`);
    },
    stepTaken: (step, operation, rejected, durationMs) =>
      admission.stepTaken(step, operation, rejected, durationMs),
  };
  return { observer, admission, webhookCalls };
}

const bounded = (message: string): string => boundedText(message, MESSAGE_CHARACTERS_MAX);

/** Messages equal those of a kube-apiserver, so that users find them by search. */
function logCall(
  log: Log,
  { webhook, configuration, attributes, verdict, code, message }: WebhookCall,
): void {
  const { operation, view, namespace, name } = attributes;
  const { group, resource } = view.definition;
  const fields = { webhook, configuration, operation, group, resource, namespace, name };
  const why = bounded(message);
  if (verdict === "failed-open") log.warn(fields, `Failed calling webhook, failing open ${webhook}: ${why}`);
  else if (verdict === "failed-closed")
    log.warn(fields, `Failed calling webhook, failing closed ${webhook}: ${why}`);
  else if (verdict !== "allowed")
    log.info({ ...fields, code }, `rejected by webhook ${JSON.stringify(webhook)}: ${why}`);
}
