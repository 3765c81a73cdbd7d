// GET and DELETE, of one object and of a collection.

import type { KubeObject } from "../../../apimachinery/meta/object-meta.ts";
import { deleted, StatusError } from "../../../apimachinery/meta/status.ts";
import { yieldIfDue } from "../../../apimachinery/scheduling/event-loop.ts";
import type { KeyValue } from "../../../storage/store.ts";
import { decodeStored } from "../../registry/codec/object-codec.ts";
import { convertAnew, decodeInVersion, prepareVersions } from "../../registry/codec/versions.ts";
import type { DeleteOptions } from "../../registry/definition/request-context.ts";
import { strategyOf } from "../../registry/definition/view.ts";
import { type ListRequest, stateAt } from "../../registry/read/list.ts";
import { parseResourceVersion, tooLargeResourceVersion } from "../../registry/resource-version.ts";
import type { ApiResponse } from "../api-request.ts";
import { readDeleteOptions, readListRequest } from "../request/options.ts";
import { addressOf, type RequestScope, writeContext } from "../request-scope.ts";
import { respondObject, respondStatus } from "../response/respond.ts";
import { respondList } from "../response/respond-list.ts";

export function getVerb(exchange: RequestScope): ApiResponse | Promise<ApiResponse> {
  const kv = findStored(exchange, exchange.request.readAt);
  const respond = (shown?: Readonly<KubeObject>) =>
    respondObject(exchange, 200, { type: "stored", kv, shown });
  return readShown(exchange, kv)?.then(respond) ?? respond();
}

/** Reads with a resourceVersion come from the watch cache, after webhook conversion. */
function readShown(
  { view, request }: RequestScope,
  kv: KeyValue,
): Promise<Readonly<KubeObject> | undefined> | undefined {
  if (request.query.get("resourceVersion") === "") return convertAnew(view, kv);
  return prepareVersions(view, [kv])?.then(() => undefined);
}

export async function readStored(exchange: RequestScope): Promise<Readonly<KubeObject>> {
  const kv = findStored(exchange);
  return (await readShown(exchange, kv)) ?? decodeInVersion(exchange.view, kv);
}

/** resourceVersion is a lower bound. The read returns the present state, or the given revision. */
function findStored(exchange: RequestScope, at?: number): KeyValue {
  const { request, resources } = exchange;
  const version = parseResourceVersion(request.query.get("resourceVersion"));
  const { revision } = resources;
  if (version > revision) throw tooLargeResourceVersion(version, revision);
  return resources.get(addressOf(exchange), at);
}

export async function listVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { request, resources, view } = exchange;
  const asked = readListRequest(view, request, exchange.reading);
  const past = request.readAt === undefined ? asked : pastState(request.readAt, asked);
  return respondList(exchange, await resources.list(view, past));
}

/** Reads from the watch cache are not paginated at resourceVersion 0. */
function pastState(revision: number, asked: ListRequest): ListRequest {
  return { ...asked, ...stateAt(revision), limit: asked.resourceVersion === "0" ? 0 : asked.limit };
}

export async function deleteVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { info, view, resources } = exchange;
  const options = readDeleteOptions(exchange.request);
  const context = deleteContext(exchange, options);
  const outcome = await resources.delete(addressOf(exchange), options, context);
  if (outcome.type === "marked") {
    // With the legacy option orphanDependents=false the response is 202, because dependents are deleted later.
    return respondObject(exchange, options.orphanDependents === false ? 202 : 200, outcome.result);
  }
  if (view.definition.returnsDeletedObject)
    return respondObject(exchange, 200, { type: "bare", object: outcome.last });
  const { uid = "", resourceVersion } = outcome.last.metadata;
  const answer = respondStatus(exchange, deleted(view.definition, info.name, uid));
  return { ...answer, revision: resourceVersion === undefined ? undefined : Number(resourceVersion) };
}

/** Deletes the selected objects one by one, and returns the list before deletion. */
export async function deleteCollectionVerb(exchange: RequestScope): Promise<ApiResponse> {
  const { request, view, resources } = exchange;
  const asked = readListRequest(view, request, exchange.reading);
  const options = readDeleteOptions(request);
  const list = await resources.list(view, asked);
  const context = deleteContext(exchange, options);
  for (const kv of list.items) {
    const { name = "", namespace = "" } = decodeStored(kv).metadata;
    const pause = yieldIfDue(); // a dry run commits nothing, so it would never yield
    if (pause !== undefined) await pause;
    try {
      await resources.deleteOfCollection({ view, namespace, name }, options, context);
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) throw error;
    }
  }
  return respondList(exchange, list);
}

function deleteContext(exchange: RequestScope, options: DeleteOptions) {
  const dryRun = (options.dryRun ?? []).length > 0;
  const context = writeContext(exchange, { dryRun, fieldManager: "", fieldValidation: "Warn" });
  for (const text of strategyOf(exchange.view).warningsOnDelete?.(options) ?? []) context.warn(text);
  return context;
}
