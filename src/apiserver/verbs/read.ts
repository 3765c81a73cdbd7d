// GET of one object, and lists.

import { prepareVersions } from "../../registry/codec/versions.ts";
import { stateAt } from "../../registry/read/list.ts";
import { parseResourceVersion, tooLargeResourceVersion } from "../../registry/resource-version.ts";
import type { ApiResponse } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import { type ListWatchOptions, readListOptions } from "../request/verb-options.ts";
import { respondObject } from "../response/respond.ts";
import { respondList } from "../response/respond-list.ts";

/** resourceVersion asks for that state or a newer one; what is read is always the present. */
export async function getVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, resources, view, info } = exchange;
  const version = parseResourceVersion(request.query.get("resourceVersion"));
  const { revision } = resources;
  if (version > revision) throw tooLargeResourceVersion(version, revision);
  const kv = resources.get({ view, namespace: info.namespace, name: info.name }, request.readAt);
  await prepareVersions(view, [kv]);
  return respondObject(exchange, 200, { type: "stored", kv });
}

export async function listVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, resources, view, info } = exchange;
  const options = readListOptions(view, request.query, false);
  const list = await resources.list(view, {
    ...options,
    ...(request.readAt === undefined ? {} : pastState(request.readAt, options)),
    namespace: info.namespace,
  });
  return respondList(exchange, list);
}

/** Reads from the cache have no chunks, at whichever revision. */
function pastState(revision: number, { resourceVersion, limit }: ListWatchOptions) {
  return { ...stateAt(revision), limit: resourceVersion === "0" ? 0 : limit };
}
