// POST to a conversion webhook, over TLS only. Errors have the texts of the Go client that a real server uses.
import {
  DEADLINE_EXCEEDED,
  type PostWebhook,
  type WebhookAnswer,
  type WebhookTarget,
} from "../registry/webhook.ts";
import { postReview } from "../registry/webhook-post.ts";
import type { Store } from "../storage/store.ts";

const TIMEOUT_SECONDS = 30;
const CLIENT_TIMEOUT = " (Client.Timeout exceeded while awaiting headers)";

/** Sends a text of JSON. Rejects with an Error that names the failure. */
export type CallWebhook = (target: WebhookTarget, body: string) => Promise<WebhookAnswer>;

export const callWebhook = (
  target: WebhookTarget,
  body: string,
  by: { readonly post: PostWebhook; readonly store: Store },
): Promise<WebhookAnswer> =>
  postReview(target, body, TIMEOUT_SECONDS, by).catch((error: Error) => {
    const isLate = error.message.endsWith(`: ${DEADLINE_EXCEEDED}`); // by the client's own time, not by that of the request
    throw isLate ? new Error(error.message + CLIENT_TIMEOUT, { cause: error.cause }) : error;
  });
