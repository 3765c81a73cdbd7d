// The question to an admission webhook and its answer (admission.k8s.io AdmissionReview), in the forms v1 and v1beta1.
// What is wrong with an answer is told in the words of a real server.
import { isObject, type JsonObject, objectAt, textOf, textsOf } from "../../meta/json.ts";
import type { ObjectsInView } from "../matching/request.ts";

const GROUP = "admission.k8s.io";
const KIND = "AdmissionReview";

export interface Question {
  readonly form: string;
  readonly uid: string;
  readonly mutating: boolean;
  /** The request without its objects. */
  readonly request: JsonObject;
  readonly objects: ObjectsInView;
}

export function reviewOf({ form, uid, request, objects }: Question): JsonObject {
  const { dryRun, options, ...about } = request;
  const { object = null, oldObject = null } = objects;
  return {
    kind: KIND,
    apiVersion: `${GROUP}/${form}`,
    request: { uid, ...about, object, oldObject, dryRun, options },
  };
}

export interface Verdict {
  readonly allowed: boolean;
  /** Why not, for the client; undefined when nothing is said. */
  readonly status: JsonObject | undefined;
  readonly warnings: readonly string[];
  /** The operations of a JSON patch; undefined: there is none. */
  readonly patch: unknown;
  readonly patchType: string;
}

/** Why an answer is none. */
export class ReviewError extends Error {}

/** Throws ReviewError. */
export function readVerdict(answer: unknown, question: Question): Verdict {
  if (!isObject(answer)) throw new ReviewError("couldn't get version/kind; json parse error");
  const response = objectAt(answer, "response");
  if (response === undefined) throw new ReviewError("webhook response was absent");
  if (question.form === "v1") checkIdentity(answer, response, question);
  const { patch, patchType } = readPatch(response, question);
  return {
    allowed: response["allowed"] === true,
    status: objectAt(response, "status"),
    warnings: textsOf(response["warnings"]),
    patch,
    patchType,
  };
}

function checkIdentity(answer: JsonObject, response: JsonObject, { uid }: Question): void {
  const given = textOf(response["uid"]);
  if (given !== uid)
    throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  const said = `${textOf(answer["apiVersion"])}, Kind=${textOf(answer["kind"])}`;
  const expected = `${GROUP}/v1, Kind=${KIND}`;
  if (said !== expected) throw new ReviewError(`expected webhook response of ${expected}, got ${said}`);
}

function readPatch(
  response: JsonObject,
  { mutating, form }: Question,
): { readonly patch: unknown; readonly patchType: string } {
  const encoded = textOf(response["patch"]);
  const { patchType } = response;
  const typed = typeof patchType === "string";
  if (!mutating) {
    if (form === "v1" && encoded !== "")
      throw new ReviewError("validating webhook may not return response.patch");
    if (form === "v1" && typed) throw new ReviewError("validating webhook may not return response.patchType");
    return { patch: undefined, patchType: "" };
  }
  if (form === "v1" && encoded !== "" && !typed)
    throw new ReviewError("webhook returned response.patch but not response.patchType");
  if (form === "v1" && encoded === "" && typed)
    throw new ReviewError("webhook returned response.patchType but not response.patch");
  if (encoded === "") return { patch: undefined, patchType: "" };
  if (form === "v1" && patchType === "")
    throw new ReviewError('webhook returned invalid response.patchType of ""');
  // In the old form the type was never looked at.
  return { patch: encoded, patchType: form === "v1" && typed ? patchType : "JSONPatch" };
}
