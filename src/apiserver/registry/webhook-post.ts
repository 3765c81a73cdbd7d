// Request to an admission or conversion webhook, with the errors of client-go.
import { describeExchange } from "../../apimachinery/go/client-errors.ts";
import type { Store } from "../../storage/store.ts";
import {
  destinationOf,
  type PostWebhook,
  shownUrl,
  type WebhookAnswer,
  type WebhookTarget,
} from "./webhook.ts";
import { resolveService } from "./webhook-service.ts";

interface PostDeps {
  readonly post: PostWebhook;
  /** Holds the webhooks' Services and EndpointSlices. */
  readonly store: Store;
}

/** Sends the JSON of a review. Rejects with an Error whose message names the URL and the failure. */
export async function postReview(
  target: WebhookTarget,
  body: string,
  timeoutSeconds: number,
  { post, store }: PostDeps,
): Promise<WebhookAnswer> {
  try {
    const to = destinationOf(target, timeoutSeconds, (service) => resolveService(service, store));
    return await post({ ...to, body, timeoutMs: timeoutSeconds * 1000 });
  } catch (error) {
    throw new Error(describeExchange(shownUrl(target, timeoutSeconds), error), { cause: error });
  }
}
