// POST of a kind that is asked and not kept: the object is made fit as a new one would be, and goes back answered. A dry
// run makes no difference, as nothing is stored anyway.
import type { KubeObject } from "../../meta/object-meta.ts";
import type { Review } from "../../registry/definition/actions.ts";
import type { RequestContext } from "../../registry/definition/request-context.ts";
import { dropSystemFields, placeInNamespace } from "../../registry/write/before-create.ts";
import { trackCreate } from "../../registry/write/managed-fields.ts";
import type { ApiResponse } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import { respondObject } from "./respond.ts";

export function answerReview(
  exchange: Exchange,
  review: Review,
  object: KubeObject,
  context: RequestContext,
): ApiResponse {
  const { view, info, access } = exchange;
  placeInNamespace(view, object, info.namespace);
  dropSystemFields(object);
  const answered = review(trackCreate(view, object, context), {
    ...context,
    ...access,
    namespace: info.namespace,
  });
  return respondObject(exchange, 201, { type: "bare", object: answered });
}
