// What a list and a watch ask for, each as a request of its own, read from the query and checked as a real server checks
// ListOptions (422, or 400 where something cannot be read).
import { type FieldError, forbidden, notSupported } from "../../meta/field-error.ts";
import { parseFieldSelector } from "../../meta/field-selector.ts";
import { parseLabelSelector } from "../../meta/label-selector.ts";
import { badRequest, invalidObject } from "../../meta/status.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { ListRequest, ResourceVersionMatch } from "../../registry/read/list.ts";
import { checkFieldsSelectable, type Selection, selectedName } from "../../registry/read/selection.ts";
import type { WatchRequest } from "../../registry/read/watch.ts";
import type { ApiRequest } from "../api-request.ts";
import type { Query } from "./request-info.ts";
import { META_GROUP, readInteger } from "./write-options.ts";

/** A watch of a client: what it sees, and how it is told of it. */
export interface ClientWatch extends WatchRequest {
  readonly sendInitialEvents: boolean;
  /** It ends after this time. */
  readonly timeoutMs: number;
  readonly allowWatchBookmarks: boolean;
}

/** Without timeoutSeconds a watch lasts this long, as --min-request-timeout says on a real server. */
const DEFAULT_TIMEOUT_SECONDS = 1800;
const MATCH = "resourceVersionMatch";

type Asked = Pick<ApiRequest, "query" | "info">;

/** What list and deletecollection are about. Throws 400 and 422. */
export function readListRequest(view: ResourceView, { query, info }: Asked): ListRequest {
  const { selection, limit, resourceVersion } = readOptions(view, query);
  const match = query.get(MATCH);
  const continueToken = query.get("continue");
  refuseFor(listErrors(query));
  return {
    namespace: info.namespace,
    selection,
    resourceVersion,
    resourceVersionMatch: match as ResourceVersionMatch, // listErrors lets nothing else pass
    limit: Math.max(limit, 0),
    continueToken,
  };
}

/** What a watch is about. Throws 400 and 422. */
export function readWatchRequest(view: ResourceView, { query, info }: Asked): ClientWatch {
  const { selection, resourceVersion, timeoutSeconds } = readOptions(view, query);
  let match = query.get(MATCH);
  let initial = query.optionalFlag("sendInitialEvents");
  if (initial === undefined && match === "" && (resourceVersion === "" || resourceVersion === "0")) {
    initial = true; // a watch from nowhere begins with what there is; from here on it is as if that had been asked for
    match = "NotOlderThan";
  }
  refuseFor(watchErrors(match, initial, query.get("continue")));
  return {
    namespace: info.namespace,
    selection: info.name === "" ? selection : narrowToName(selection, info.name),
    resourceVersion,
    sendInitialEvents: initial ?? false,
    mayExpire: true,
    timeoutMs: (timeoutSeconds || DEFAULT_TIMEOUT_SECONDS) * 1000,
    allowWatchBookmarks: query.flag("allowWatchBookmarks"),
  };
}

/** What both may say, in the order of the members of ListOptions: the first that cannot be read is complained of. */
function readOptions(view: ResourceView, query: Query) {
  const timeoutSeconds = readInteger(query, "timeoutSeconds") ?? 0;
  const limit = readInteger(query, "limit") ?? 0;
  const labels = parseLabelSelector(query.get("labelSelector"));
  const fields = parseFieldSelector(query.get("fieldSelector"));
  checkFieldsSelectable(view, fields);
  const selection: Selection = { labels: labels.isEmpty ? undefined : labels, fields };
  return { timeoutSeconds, limit, selection, resourceVersion: query.get("resourceVersion") };
}

/** /watch/…/NAME is a watch of that one object; a field selector beside it must name the object as well. */
function narrowToName(selection: Selection, name: string): Selection {
  if (selection.fields.length === 0)
    return { ...selection, fields: [{ field: "metadata.name", operator: "=", value: name }] };
  if (selectedName(selection) === name) return selection;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

function refuseFor(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: META_GROUP, kind: "ListOptions" }, "", errors);
}

function listErrors(query: Query): FieldError[] {
  const match = query.get(MATCH);
  const version = query.get("resourceVersion");
  const errors: FieldError[] = [];
  if (match !== "") {
    if (version === "")
      errors.push(forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    if (query.get("continue") !== "") errors.push(WITH_TOKEN);
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && version === "0")
      errors.push(forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
  }
  if (query.has("sendInitialEvents"))
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

const WITH_TOKEN = forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);

function watchErrors(match: string, initial: boolean | undefined, token: string): FieldError[] {
  const errors: FieldError[] = [];
  if (initial !== undefined && match !== "NotOlderThan")
    errors.push(forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  if (match !== "") {
    if (initial === undefined)
      errors.push(forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
    if (match !== "NotOlderThan") errors.push(notSupported(MATCH, match, ["NotOlderThan"]));
    if (token !== "") errors.push(WITH_TOKEN);
  }
  return errors;
}
