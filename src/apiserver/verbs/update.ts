// PUT: the whole object, or one of its subresources, in the place of the stored one.
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, readBody, writeContext } from "../exchange.ts";
import { readWriteOptions } from "../request/options.ts";
import { respondObject } from "../response/respond.ts";

export async function updateVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, info, view, resources } = exchange;
  const { namespace, name, subresource } = info;
  const options = readWriteOptions(request.query, "UpdateOptions");
  const reading = readBody(exchange, view);
  const decoded = reading instanceof Promise ? await reading : reading;
  const address = { view, namespace, name };
  const context = writeContext(exchange, options);
  const result = await resources.update({ address, subresource, decoded, context });
  return respondObject(exchange, result.created ? 201 : 200, result);
}
