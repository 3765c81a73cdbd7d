// PUT: the whole object, or one of its subresources, in the place of the stored one.

import { nextTurn } from "../../meta/clock.ts";
import { cloneJson } from "../../meta/json.ts";
import { createsOnUpdate, strategyFor } from "../../registry/definition/view.ts";
import { placeInNamespace } from "../../registry/write/before-create.ts";
import { trackWrite, trackWriteInTurns } from "../../registry/write/managed-fields.ts";
import { dropRepeatedOwners } from "../../registry/write/owner-references.ts";
import { checkNameMatches } from "../../registry/write/patch-object.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, writeContext } from "../exchange.ts";
import { readWriteOptions } from "../request/options.ts";
import { respondObject } from "../response/respond.ts";
import { readObject } from "./read-object.ts";

export async function updateVerb(exchange: Exchange): Promise<ApiResponse> {
  const { request, info, view, resources } = exchange;
  const options = readWriteOptions(request.query, "UpdateOptions");
  const reading = readObject(exchange, view, options);
  const object = reading instanceof Promise ? await reading : reading;
  placeInNamespace(view, object, info.namespace);
  checkNameMatches(object, info.name);
  const context = writeContext(exchange, options);
  dropRepeatedOwners(object, context, "request");
  const strategy = strategyFor(view, info.subresource);
  const result = await resources.update({
    address: { view, namespace: info.namespace, name: info.name },
    subresource: info.subresource,
    strategy,
    context,
    uid: object.metadata.uid,
    allowCreate: createsOnUpdate(view, info.subresource),
    next: (live, isLarge) => {
      const next = cloneJson(object);
      if (live === undefined) delete next.metadata.managedFields;
      const write = { live, next, context, strategy, subresource: info.subresource };
      return isLarge ? nextTurn().then(() => trackWriteInTurns(view, write)) : trackWrite(view, write);
    },
  });
  return respondObject(exchange, result.created ? 201 : 200, result);
}
