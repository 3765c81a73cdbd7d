// The question to an admission webhook and its answer (admission.k8s.io AdmissionReview), in the forms v1 and v1beta1.
// What is wrong with an answer is told in the words of a real server.
import { base64Error } from "../../go/base64.ts";
import { goJsonType, isObject, type JsonObject, objectAt, textAt, textsAt } from "../../meta/json.ts";
import { type Status, type StatusDetails, StatusError } from "../../meta/status.ts";
import type { ObjectsInView } from "../request.ts";

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

/** Why the patch of an answer is no bytes in JSON; undefined: it is, or there is none. */
export function patchComplaint(answer: unknown): string | undefined {
  const patch = isObject(answer) ? objectAt(answer, "response")?.["patch"] : undefined;
  if (patch === undefined || patch === null) return undefined;
  if (typeof patch === "string") return base64Error(patch);
  return `json: cannot unmarshal ${goJsonType(patch)} into Go struct field AdmissionResponse.response.patch of type []uint8`;
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
    warnings: textsAt(response, "warnings"),
    patch,
    patchType,
  };
}

function checkIdentity(answer: JsonObject, response: JsonObject, { uid }: Question): void {
  const given = textAt(response, "uid");
  if (given !== uid)
    throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  const said = `${textAt(answer, "apiVersion")}, Kind=${textAt(answer, "kind")}`;
  const expected = `${GROUP}/v1, Kind=${KIND}`;
  if (said !== expected) throw new ReviewError(`expected webhook response of ${expected}, got ${said}`);
}

function readPatch(
  response: JsonObject,
  { mutating, form }: Question,
): { readonly patch: unknown; readonly patchType: string } {
  const encoded = textAt(response, "patch");
  const { patchType } = response;
  const typed = typeof patchType === "string";
  const complaint = form === "v1" ? complaintOfPatch(mutating, encoded, patchType) : undefined;
  if (complaint !== undefined) throw new ReviewError(complaint);
  if (!mutating || encoded === "") return { patch: undefined, patchType: "" };
  // In the old form the type was never looked at.
  return { patch: encoded, patchType: form === "v1" && typed ? patchType : "JSONPatch" };
}

function complaintOfPatch(mutating: boolean, encoded: string, type: unknown): string | undefined {
  const typed = typeof type === "string";
  if (!mutating) {
    if (encoded !== "") return "validating webhook may not return response.patch";
    return typed ? "validating webhook may not return response.patchType" : undefined;
  }
  if (encoded !== "" && !typed) return "webhook returned response.patch but not response.patchType";
  if (encoded === "" && typed) return "webhook returned response.patchType but not response.patch";
  return type === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}

const CLIENT_ERROR = 400;

/** How a refusal looks to the client: the Status that the webhook gave, with its name before the message. */
export function refusalBy({ name }: { readonly name: string }, given: JsonObject | undefined): StatusError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const message = textAt(given, "message");
  const reason = textAt(given, "reason");
  const code = Number(given?.["code"] ?? 0);
  const details = objectAt(given, "details");
  const explained = message || reason;
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: isObject(given?.["metadata"]) ? given["metadata"] : {},
    status: "Failure",
    message: explained === "" ? `${denied} without explanation` : `${denied}: ${explained}`,
    ...(reason === "" ? {} : { reason }),
    ...(details ? { details: details as StatusDetails } : {}), // passed on as the webhook has made it
    code: Number.isInteger(code) && code >= CLIENT_ERROR && code < 600 ? code : CLIENT_ERROR,
  };
  return new StatusError(status);
}
