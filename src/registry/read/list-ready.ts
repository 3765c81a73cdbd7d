// Lists of kinds that a webhook may have to convert: what is to be shown or selected by is converted first, all of it
// at once. For all other kinds this is listObjects.
import type { KeyValue, Store } from "../../storage/store.ts";
import { prepareVersions } from "../codec/versions.ts";
import type { ResourceView } from "../definition/resource-definition.ts";
import { type ListRequest, type ListResult, listInTurns, listObjects } from "./list.ts";
import { EVERYTHING, selectsEverything } from "./selection.ts";

export async function listReady(store: Store, view: ResourceView, request: ListRequest): Promise<ListResult> {
  await prepareSelection(store, view, request);
  const list = await listInTurns(store, view, request);
  await prepareVersions(view, list.items);
  return list;
}

/** Converts all objects that a selection has to look at. */
export async function prepareSelection(
  store: Store,
  view: ResourceView,
  request: ListRequest,
): Promise<void> {
  if (view.definition.converter === undefined || selectsEverything(request.selection)) return;
  const limit = request.limit > 0 ? Number.MAX_SAFE_INTEGER : 0; // a limit of any size means that exact revision
  const { items } = listObjects(store, view, { ...request, limit, selection: EVERYTHING });
  await prepareVersions(view, items);
}

/** Converts what a change is about, before anybody looks at it. */
export function prepareChange(
  view: ResourceView,
  events: readonly { readonly kv?: KeyValue | undefined; readonly prev?: KeyValue | undefined }[],
): Promise<void> | undefined {
  if (view.definition.converter === undefined) return undefined;
  const kvs = events.flatMap(({ kv, prev }) => [kv, prev]);
  return prepareVersions(
    view,
    kvs.filter((kv) => kv !== undefined),
  );
}
