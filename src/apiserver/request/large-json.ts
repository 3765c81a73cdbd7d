// Large bodies in JSON are read before the request goes on, with pauses for others. What came out is found by the body.
import { type DecodedJson, decodeJson, decodeJsonInTurns, JsonSyntaxError } from "../../meta/json-decode.ts";
import { isLargeBody } from "../../registry/definition/request-context.ts";
import type { ApiRequest } from "../api-request.ts";

/** Of objects and of patches of any kind. */
const JSON_MEDIA_TYPE = /^\s*(?:application\/(?:[\w-]+\+)?json\s*)?(?:;|$)/i;

const outcomes = new WeakMap<Uint8Array, DecodedJson | JsonSyntaxError>();

/** Has a large body in JSON read; undefined: there is none, as with most requests. */
export function readLargeJson({
  headers,
  body,
}: Pick<ApiRequest, "headers" | "body">): Promise<void> | undefined {
  if (body === undefined || !isLargeBody(body)) return undefined;
  return JSON_MEDIA_TYPE.test(headers["content-type"] ?? "") ? readWithPauses(body) : undefined;
}

async function readWithPauses(body: Uint8Array): Promise<void> {
  try {
    outcomes.set(body, await decodeJsonInTurns(body));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    outcomes.set(body, error);
  }
}

/** What was read belongs to who asks first, for it will be changed. Throws JsonSyntaxError. */
export function decodeJsonBody(body: Uint8Array): DecodedJson {
  const outcome = outcomes.get(body) ?? decodeJson(body);
  outcomes.delete(body);
  if (outcome instanceof JsonSyntaxError) throw outcome;
  return outcome;
}
