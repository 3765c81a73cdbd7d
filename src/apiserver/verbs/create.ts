// POST: a new object, named by its body or by its generateName.
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, readBody, writeContext } from "../exchange.ts";
import { bodyFormat } from "../request/negotiation.ts";
import { readWriteOptions, type WriteOptions } from "../request/options.ts";
import { respondObject } from "../response/respond.ts";

export async function createVerb(exchange: Exchange): Promise<ApiResponse> {
  const { info, view, resources } = exchange;
  const options = readPostOptions(exchange);
  const reading = readBody(exchange, view);
  const decoded = reading instanceof Promise ? await reading : reading;
  const context = writeContext(exchange, options);
  const result = await resources.create({ view, namespace: info.namespace, decoded, context });
  return respondObject(exchange, 201, result);
}

/** How what is posted is to be written. A body in a form that is not known is refused first. Throws 415 and 422. */
export function readPostOptions({ request }: Exchange): WriteOptions {
  bodyFormat(request.headers["content-type"]);
  return readWriteOptions(request.query, "CreateOptions");
}
