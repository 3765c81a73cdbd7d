// POST to a conversion webhook, over TLS only. Errors have the texts of Go's HTTP client.

import type { Store } from "../../storage/store.ts";
import {
  DEADLINE_EXCEEDED,
  type PostWebhook,
  type WebhookAnswer,
  type WebhookTarget,
} from "../registry/webhook.ts";
import { postReview } from "../registry/webhook-post.ts";

const TIMEOUT_SECONDS = 30;
const CLIENT_TIMEOUT = " (Client.Timeout exceeded while awaiting headers)";

/** Sends JSON text. Rejects with an Error that describes the failure. */
export type CallWebhook = (target: WebhookTarget, body: string) => Promise<WebhookAnswer>;

export const callWebhook = (
  target: WebhookTarget,
  body: string,
  by: { readonly post: PostWebhook; readonly store: Store },
): Promise<WebhookAnswer> =>
  postReview(target, body, TIMEOUT_SECONDS, by).catch((error: Error) => {
    const isLate = error.message.endsWith(`: ${DEADLINE_EXCEEDED}`); // timeout of the client, not of the request
    throw isLate ? new Error(error.message + CLIENT_TIMEOUT, { cause: error.cause }) : error;
  });
