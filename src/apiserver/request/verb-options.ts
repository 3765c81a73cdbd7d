// The options of each verb, read from the query and checked as a real server checks them (422 with the kind of the
// options, or 400 where a number cannot be read).
import { type FieldError, forbidden, notSupported } from "../../meta/field-error.ts";
import { parseFieldSelector } from "../../meta/field-selector.ts";
import { parseLabelSelector } from "../../meta/label-selector.ts";
import { validateFieldManager } from "../../meta/names.ts";
import { badRequest, invalidObject } from "../../meta/status.ts";
import { dryRunErrors, type FieldValidation } from "../../registry/definition/request-context.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import type { ResourceVersionMatch } from "../../registry/read/list.ts";
import { checkFieldsSelectable, type Selection } from "../../registry/read/selection.ts";
import type { Query } from "./query.ts";

const META_GROUP = "meta.k8s.io";

/** An int64 of the query; undefined where the key is absent. Nothing after the key is no number. Throws 400. */
export function readInteger(query: Query, key: string): number | undefined {
  if (!query.has(key)) return undefined;
  const text = query.get(key);
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text);
  if (value >= 2n ** 63n || value < -(2n ** 63n)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  }
  return Number(value);
}

export interface ListWatchOptions {
  readonly selection: Selection;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: ResourceVersionMatch;
  readonly limit: number;
  readonly continueToken: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean;
}

/** Options of list, watch and deletecollection. Throws 400 and 422. */
export function readListOptions(view: ResourceView, query: Query, watch: boolean): ListWatchOptions {
  // In the order of the members of ListOptions: the first that cannot be read is complained of.
  const timeoutSeconds = readInteger(query, "timeoutSeconds");
  const limit = readInteger(query, "limit") ?? 0;
  const labels = query.get("labelSelector");
  const fields = query.get("fieldSelector");
  const selection: Selection = {
    labels: labels === "" ? undefined : readLabelSelector(labels),
    fields: fields === "" ? [] : parseFieldSelector(fields),
  };
  checkFieldsSelectable(view, selection.fields);
  const resourceVersion = query.get("resourceVersion");
  let match = query.get("resourceVersionMatch");
  let initial = query.optionalFlag("sendInitialEvents");
  if (watch && initial === undefined && match === "" && (resourceVersion === "" || resourceVersion === "0")) {
    initial = true; // a watch from nowhere begins with what there is; from here on it is as if that had been asked for
    match = "NotOlderThan";
  }
  const continueToken = query.get("continue");
  const errors = watch
    ? watchErrors(match, initial, continueToken)
    : listErrors(match, initial, continueToken, resourceVersion);
  if (errors.length > 0) throw invalidObject({ group: META_GROUP, kind: "ListOptions" }, "", errors);
  return {
    selection,
    resourceVersion,
    resourceVersionMatch: match as ResourceVersionMatch, // listErrors and watchErrors let nothing else pass
    limit: Math.max(limit, 0),
    continueToken,
    timeoutSeconds: timeoutSeconds === 0 ? undefined : timeoutSeconds,
    allowWatchBookmarks: query.flag("allowWatchBookmarks"),
    sendInitialEvents: initial ?? false,
  };
}

function readLabelSelector(text: string): Selection["labels"] {
  const selector = parseLabelSelector(text);
  return selector.isEmpty ? undefined : selector;
}

const MATCH = "resourceVersionMatch";

function listErrors(
  match: string,
  initial: boolean | undefined,
  token: string,
  version: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (version === "")
      errors.push(forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`));
    if (token !== "") errors.push(forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(notSupported(MATCH, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && version === "0") {
      errors.push(forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (initial !== undefined)
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

function watchErrors(match: string, initial: boolean | undefined, token: string): FieldError[] {
  const errors: FieldError[] = [];
  if (initial !== undefined && match !== "NotOlderThan") {
    errors.push(forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  }
  if (match !== "") {
    if (initial === undefined) {
      errors.push(forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
    }
    if (match !== "NotOlderThan") errors.push(notSupported(MATCH, match, ["NotOlderThan"]));
    if (token !== "") errors.push(forbidden(MATCH, `${MATCH} is forbidden when continue is provided`));
  }
  return errors;
}

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const FIELD_VALIDATIONS = ["", "Ignore", "Strict", "Warn"];

/** Options of create, update and patch; `kind` names them in refusals ("CreateOptions"). Throws 422. */
export function readWriteOptions(query: Query, kind: string, more: readonly FieldError[] = []): WriteOptions {
  const dryRun = query.all("dryRun");
  const fieldManager = query.get("fieldManager");
  const fieldValidation = query.get("fieldValidation");
  const errors = [...more, ...validateFieldManager(fieldManager, "fieldManager"), ...dryRunErrors(dryRun)];
  if (!FIELD_VALIDATIONS.includes(fieldValidation)) {
    errors.push(notSupported("fieldValidation", fieldValidation, FIELD_VALIDATIONS));
  }
  if (errors.length > 0) throw invalidObject({ group: META_GROUP, kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as FieldValidation), // one of the list above
  };
}
