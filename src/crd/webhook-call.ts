// POST to a conversion webhook, over TLS only. Errors have the texts of the Go client that a real server uses.
import { describeExchange } from "../go/client-errors.ts";
import {
  DEADLINE_EXCEEDED,
  destinationOf,
  type PostWebhook,
  shownUrl,
  type WebhookAnswer,
  type WebhookTarget,
} from "../registry/webhook.ts";
import { resolveService } from "../registry/webhook-service.ts";
import type { Store } from "../storage/store.ts";

const TIMEOUT_SECONDS = 30;
const CLIENT_TIMEOUT = " (Client.Timeout exceeded while awaiting headers)";

/** Sends a text of JSON. Rejects with an Error that names the failure. */
export type CallWebhook = (target: WebhookTarget, body: string) => Promise<WebhookAnswer>;

export function webhookCaller(post: PostWebhook, store: Store): CallWebhook {
  return async (target, body) => {
    try {
      const to = destinationOf(target, TIMEOUT_SECONDS, (service) => resolveService(service, store));
      return await post({ ...to, body, timeoutMs: TIMEOUT_SECONDS * 1000 });
    } catch (error) {
      const text = describeExchange(shownUrl(target, TIMEOUT_SECONDS), error);
      const isLate = text.endsWith(`: ${DEADLINE_EXCEEDED}`); // by the client's own time, not by that of the request
      throw new Error(isLate ? text + CLIENT_TIMEOUT : text, { cause: error });
    }
  };
}
