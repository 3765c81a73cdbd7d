// The verbs of the API by name: data for the pipeline.
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { actionOf } from "../../registry/definition/view.ts";
import type { ApiResponse } from "../api-request.ts";
import type { Exchange } from "../exchange.ts";
import type { RequestInfo, RequestVerb } from "../request/request-info.ts";
import { actionVerb, createVerb, reviewVerb } from "./create.ts";
import { deleteCollectionVerb, deleteVerb } from "./delete.ts";
import { getVerb, listVerb } from "./read.ts";
import { getScaleVerb, patchScaleVerb, updateScaleVerb } from "./scale.ts";
import { patchVerb, updateVerb } from "./update.ts";
import { watchVerb } from "./watch.ts";

type Verb = (exchange: Exchange) => ApiResponse | Promise<ApiResponse>;

const VERBS: Readonly<Record<Exclude<RequestVerb, "">, Verb>> = {
  get: getVerb,
  list: listVerb,
  watch: watchVerb,
  create: createVerb,
  update: updateVerb,
  patch: patchVerb,
  delete: deleteVerb,
  deletecollection: deleteCollectionVerb,
};

/** /scale shows another kind than that of its object. */
const SCALE_VERBS: Readonly<Partial<Record<RequestVerb, Verb>>> = {
  get: getScaleVerb,
  update: updateScaleVerb,
  patch: patchScaleVerb,
};

/** What answers a request; undefined for methods that mean nothing. */
export function verbOf({ verb, subresource }: RequestInfo, view: ResourceView): Verb | undefined {
  if (verb === "") return undefined;
  if (subresource === "scale") return SCALE_VERBS[verb];
  if (verb === "create" && actionOf(view, subresource) !== undefined) return actionVerb;
  return verb === "create" && view.definition.review !== undefined ? reviewVerb : VERBS[verb];
}
