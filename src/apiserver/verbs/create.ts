// POST: a new object, named by its body or by its generateName; or a question, for kinds that are not kept.

import type { KubeObject } from "../../meta/object-meta.ts";
import { badRequest } from "../../meta/status.ts";
import { breathe } from "../../registry/breathe.ts";
import type { ResourceView } from "../../registry/resource-definition.ts";
import { reportFindings } from "../../registry/write/field-validation.ts";
import { trackCreate } from "../../registry/write/managed-fields.ts";
import { dropRepeatedOwners } from "../../registry/write/owner-references.ts";
import type { ApiResponse } from "../api-request.ts";
import { type Exchange, knownTypes, writeContext } from "../exchange.ts";
import { checkApiVersion, decodeObject } from "../request/decode-body.ts";
import { bodyFormat } from "../request/negotiation.ts";
import { readWriteOptions, type WriteOptions } from "../request/options.ts";
import { respondObject } from "../response/respond.ts";
import { answerReview } from "../reviews/answer-review.ts";

export async function createVerb(exchange: Exchange): Promise<ApiResponse> {
  const { info, view, resources } = exchange;
  const { object, options } = readPosted(exchange, view);
  const context = writeContext(exchange, options);
  const { review } = view.definition;
  const afterDecoding = breathe(context);
  if (afterDecoding) await afterDecoding;
  if (review) return answerReview(exchange, review, object, context);
  const track = (next: typeof object) => {
    dropRepeatedOwners(next, context, "request");
    return trackCreate(view, next, context);
  };
  const result = await resources.create({ view, namespace: info.namespace, object, context, track });
  return respondObject(exchange, 201, result);
}

/** The posted object, which must be of this kind, and how it is to be written. Throws 400, 415 and 422. */
export function readPosted(
  { request, warnings, resources }: Exchange,
  view: ResourceView,
): { object: KubeObject; options: WriteOptions } {
  const format = bodyFormat(request.headers["content-type"]);
  const options = readWriteOptions(request.query, "CreateOptions");
  const { object, findings } = decodeObject(
    view,
    request.body ?? new Uint8Array(),
    format,
    knownTypes(resources),
  );
  reportFindings(
    options.fieldValidation,
    findings,
    (text) => warnings.add(text),
    (text) => {
      const { kind } = view.definition;
      return badRequest(
        `${object.kind} in version "${view.version.name}" cannot be handled as a ${kind}: ${text}`,
      );
    },
  );
  checkApiVersion(view, object);
  return { object, options };
}
