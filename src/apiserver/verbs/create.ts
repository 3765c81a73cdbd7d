// POST: a new object, named by its body or by its generateName; a question, for kinds that are not kept; or, below an
// object, one of another kind that something comes of.
import { nextTurn } from "../../meta/clock.ts";
import { pathNotFound, type Status } from "../../meta/status.ts";
import type { ActionAnswer } from "../../registry/definition/actions.ts";
import { actionOf } from "../../registry/definition/view.ts";
import { acceptObject } from "../../registry/write/field-validation.ts";
import { trackCreate, trackWrite } from "../../registry/write/managed-fields.ts";
import { dropRepeatedOwners, dropSystemFields, placeInNamespace } from "../../registry/write/prepare.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, readBody, writeContext } from "../exchange.ts";
import { bodyFormat } from "../request/negotiation.ts";
import { readWriteOptions, type WriteOptions } from "../request/write-options.ts";
import { respondObject, respondStatus } from "../response/respond.ts";

export async function createVerb(exchange: Exchange): Promise<ApiResponse> {
  const { info, view, resources } = exchange;
  const options = readPostOptions(exchange);
  const reading = readBody(exchange, view);
  const decoded = reading instanceof Promise ? await reading : reading;
  const context = writeContext(exchange, options);
  const result = await resources.create({ view, namespace: info.namespace, decoded, context });
  return respondObject(exchange, 201, result);
}

/** How what is posted is to be written. A body in a form that is not known is refused first. Throws 415 and 422. */
export function readPostOptions({ request }: Exchange): WriteOptions {
  bodyFormat(request.headers["content-type"]);
  return readWriteOptions(request.query, "CreateOptions");
}

export async function reviewVerb(exchange: Exchange): Promise<ApiResponse> {
  const { view, info, access } = exchange;
  const { review } = view.definition;
  if (review === undefined) throw pathNotFound();
  const options = readPostOptions(exchange);
  const decoded = await readBody(exchange, view);
  const context = writeContext(exchange, options);
  const object = acceptObject(view, decoded, context);
  if (context.isLarge) await nextTurn();
  placeInNamespace(view, object, info.namespace);
  dropSystemFields(object);
  const asked = { ...context, ...access, namespace: info.namespace };
  return respondObject(exchange, 201, {
    type: "bare",
    object: review(trackCreate(view, object, context), asked),
  });
}

export async function actionVerb(exchange: Exchange): Promise<ApiResponse> {
  const { info, view, resources, access } = exchange;
  const { subresource, namespace, name } = info;
  const action = actionOf(view, subresource);
  const [version] = action?.posted.versions ?? [];
  if (action === undefined || version === undefined) throw pathNotFound();
  const posted = { definition: action.posted, version };
  const options = readPostOptions(exchange);
  const decoded = await readBody(exchange, posted);
  const context = writeContext(exchange, options);
  const object = acceptObject(posted, decoded, context);
  placeInNamespace(posted, object, namespace);
  if (!action.keepsSystemFields) dropSystemFields(object);
  dropRepeatedOwners(object, context, "request");
  delete object.metadata.managedFields;
  const endpoint = { view: posted, strategy: action.posted.strategy, subresource };
  const tracked = await trackWrite({ endpoint, live: undefined, next: object, context });
  const about = { operation: "CREATE", view, subresource, namespace, name, object: tracked, posted } as const;
  await resources.admitPosted({ ...about, oldObject: undefined, context });
  const answer = await action.run(
    tracked,
    { view, namespace, name },
    { ...context, resources, issueToken: access.issueToken },
  );
  if (isStatus(answer)) return respondStatus(exchange, answer);
  return respondObject({ ...exchange, view: posted }, 201, { type: "bare", object: answer });
}

const isStatus = (answer: ActionAnswer): answer is Status => answer.kind === "Status";
