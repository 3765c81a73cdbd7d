// POST below an object, where another kind is taken than that of the object.
import { pathNotFound, type Status } from "../../meta/status.ts";
import type { ActionAnswer } from "../../registry/definition/actions.ts";
import { actionOf } from "../../registry/definition/view.ts";
import { dropSystemFields, placeInNamespace } from "../../registry/write/before-create.ts";
import { acceptObject } from "../../registry/write/field-validation.ts";
import { trackWrite } from "../../registry/write/managed-fields.ts";
import { dropRepeatedOwners } from "../../registry/write/owner-references.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, readBody, writeContext } from "../exchange.ts";
import { respondObject, respondStatus } from "../response/respond.ts";
import { readPostOptions } from "./create.ts";

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
  const tracked = trackWrite({ endpoint, live: undefined, next: object, context });
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
