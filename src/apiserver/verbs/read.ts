// GET of one object, and lists.

import { prepareVersions } from "../../registry/codec/versions.ts";
import { type ListRequest, stateAt } from "../../registry/read/list.ts";
import { parseResourceVersion, tooLargeResourceVersion } from "../../registry/resource-version.ts";
import type { ApiResponse } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import { readListRequest } from "../request/list-request.ts";
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
  const { request, resources, view } = exchange;
  const asked = readListRequest(view, request);
  const past = request.readAt === undefined ? asked : pastState(request.readAt, asked);
  return respondList(exchange, await resources.list(view, past));
}

/** Reads from the cache have no chunks, at whichever revision. */
function pastState(revision: number, asked: ListRequest): ListRequest {
  return { ...asked, ...stateAt(revision), limit: asked.resourceVersion === "0" ? 0 : asked.limit };
}
