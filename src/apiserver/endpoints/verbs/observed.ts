// GET of virtual resources: nothing is stored, and objects are computed on each request.
import { notFound } from "../../../apimachinery/meta/status.ts";
import { apiVersionOf } from "../../registry/definition/view.ts";
import { matchesObject } from "../../registry/read/selection.ts";
import type { ApiResponse } from "../api-request.ts";
import { readListRequest } from "../request/options.ts";
import type { RequestScope } from "../request-scope.ts";
import { listOrder } from "../response/answer-text.ts";
import { otherForm } from "../response/other-form.ts";
import { respondObject, respondValue } from "../response/respond.ts";
import { isList, itemValue } from "../response/respond-list.ts";

export function getObservedVerb(exchange: RequestScope): ApiResponse {
  const { definition } = exchange.view;
  const { name } = exchange.info;
  const object = definition.observe?.().find(({ metadata }) => metadata.name === name);
  if (object === undefined) throw notFound(definition, name);
  return respondObject(exchange, 200, { type: "bare", object });
}

/** The list has no resourceVersion, because its objects have no revision. */
export function listObservedVerb(exchange: RequestScope): ApiResponse {
  const { view, request, negotiated } = exchange;
  const { selection } = readListRequest(view, request, exchange.reading);
  const all = view.definition.observe?.() ?? [];
  const objects = all.filter((object) => matchesObject(view, selection, object));
  const form = otherForm(exchange);
  if (form === undefined) {
    const items = objects.map((object) => itemValue(view, object));
    const list = { kind: view.definition.listKind, apiVersion: apiVersionOf(view), metadata: {}, items };
    return respondValue(exchange, 200, list, listOrder(view));
  }
  if (negotiated.transform?.kind === "PartialObjectMetadata") throw isList(view);
  return respondValue(exchange, 200, form.list(objects.map(form.item), {}));
}
