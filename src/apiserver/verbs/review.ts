// POST of a kind that is asked and not kept: the object is made fit as a new one would be, and goes back answered. A dry
// run makes no difference, as nothing is stored anyway.
import { pathNotFound } from "../../meta/status.ts";
import { breathe } from "../../registry/definition/request-context.ts";
import { dropSystemFields, placeInNamespace } from "../../registry/write/before-create.ts";
import { acceptObject } from "../../registry/write/field-validation.ts";
import { trackCreate } from "../../registry/write/managed-fields.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, readBody, writeContext } from "../exchange.ts";
import { respondObject } from "../response/respond.ts";
import { readPostOptions } from "./create.ts";

export async function reviewVerb(exchange: Exchange): Promise<ApiResponse> {
  const { view, info, access } = exchange;
  const { review } = view.definition;
  if (review === undefined) throw pathNotFound();
  const options = readPostOptions(exchange);
  const decoded = await readBody(exchange, view);
  const context = writeContext(exchange, options);
  const object = acceptObject(view, decoded, context);
  const afterDecoding = breathe(context);
  if (afterDecoding) await afterDecoding;
  placeInNamespace(view, object, info.namespace);
  dropSystemFields(object);
  const asked = { ...context, ...access, namespace: info.namespace };
  return respondObject(exchange, 201, {
    type: "bare",
    object: review(trackCreate(view, object, context), asked),
  });
}
