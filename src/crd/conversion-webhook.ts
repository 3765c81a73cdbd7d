// POST to a conversion webhook, over TLS only. Failures read as those of the Go client that a real server has, since
// people search for these texts.

import { describeNetworkError, describeStatus } from "../go/client-errors.ts";
import { objectAt, objectsAt, textAt } from "../meta/json.ts";
import { decodeJson } from "../meta/json-decode.ts";
import { encodeJson } from "../meta/json-encode.ts";
import { decodeStored } from "../registry/codec/object-codec.ts";
import type { ResourceStore } from "../registry/resource-store.ts";
import {
  DEADLINE_EXCEEDED,
  destinationOf,
  type PostWebhook,
  shownUrl,
  type WebhookAnswer,
  type WebhookService,
  type WebhookTarget,
} from "../registry/webhook.ts";

const TIMEOUT_SECONDS = 30;

/** Sends JSON and gives what came back. Rejects with an Error that says what went wrong. */
export type CallWebhook = (target: WebhookTarget, body: unknown) => Promise<unknown>;

export function webhookCaller(post: PostWebhook, resources: ResourceStore): CallWebhook {
  return async (target, body) => {
    let answer: WebhookAnswer;
    try {
      const to = destinationOf(target, TIMEOUT_SECONDS, (service) => addressOf(service, resources));
      answer = await post({ ...to, body: encodeJson(body), timeoutMs: TIMEOUT_SECONDS * 1000 });
      if (answer.status >= 200 && answer.status <= 206) return decodeJson(answer.body).value;
    } catch (error) {
      const text = describeNetworkError(error);
      const more = text === DEADLINE_EXCEEDED ? " (Client.Timeout exceeded while awaiting headers)" : "";
      const url = JSON.stringify(shownUrl(target, TIMEOUT_SECONDS));
      throw new Error(`Post ${url}: ${text}${more}`, { cause: error });
    }
    throw new Error(describeStatus(answer.status, answer.contentType, answer.body));
  };
}

/** Where a Service is: an external name, else its cluster address. Throws an Error. */
function addressOf({ namespace, name, port }: WebhookService, resources: ResourceStore): string {
  const view = resources.registry.findStorage("", "services");
  const kv = view && resources.find({ view, namespace, name });
  const spec = objectAt(kv && decodeStored(kv), "spec");
  if (spec === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  if (spec["type"] === "ExternalName") return textAt(spec, "externalName");
  if (objectsAt(spec, "ports").some((item) => item["port"] === port)) return textAt(spec, "clusterIP");
  throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
}
