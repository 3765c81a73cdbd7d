// POST: a new object, named by its body or by its generateName; or a question, for kinds that are not kept.

import type { KubeObject } from "../../meta/object-meta.ts";
import { breathe } from "../../registry/definition/request-context.ts";
import { trackCreate } from "../../registry/write/managed-fields.ts";
import { dropRepeatedOwners } from "../../registry/write/owner-references.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, writeContext } from "../exchange.ts";
import { bodyFormat } from "../request/negotiation.ts";
import { readWriteOptions, type WriteOptions } from "../request/options.ts";
import { answerReview } from "../response/answer-review.ts";
import { respondObject } from "../response/respond.ts";
import { readObject } from "./read-object.ts";

export async function createVerb(exchange: Exchange): Promise<ApiResponse> {
  const { info, view, resources } = exchange;
  const options = readPostOptions(exchange);
  const reading = readObject(exchange, view, options);
  const object = reading instanceof Promise ? await reading : reading;
  const context = writeContext(exchange, options);
  const { review } = view.definition;
  const afterDecoding = breathe(context);
  if (afterDecoding) await afterDecoding;
  if (review) return answerReview(exchange, review, object, context);
  const track = (next: KubeObject) => {
    dropRepeatedOwners(next, context, "request");
    return trackCreate(view, next, context);
  };
  const result = await resources.create({ view, namespace: info.namespace, object, context, track });
  return respondObject(exchange, 201, result);
}

/** How what is posted is to be written. A body in a form that is not known is refused first. Throws 415 and 422. */
export function readPostOptions({ request }: Exchange): WriteOptions {
  bodyFormat(request.headers["content-type"]);
  return readWriteOptions(request.query, "CreateOptions");
}
