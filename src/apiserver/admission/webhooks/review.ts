// Requests and responses of admission webhooks (admission.k8s.io AdmissionReview), v1 and v1beta1. Errors of a
// response have the text of a kube-apiserver.
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { type JsonObject, numberAt, objectAt, textAt, textsAt } from "../../../apimachinery/json/json.ts";
import { partsOfApiVersion } from "../../../apimachinery/meta/object-meta.ts";
import { plainError, type Status, StatusError } from "../../../apimachinery/meta/status.ts";
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
  /** The Status of a rejection; undefined when the webhook gave none. */
  readonly status: JsonObject | undefined;
  readonly warnings: readonly string[];
  /** Base64 of a JSON patch; undefined without one. */
  readonly patch: string | undefined;
  readonly patchType: string;
}

/** The response is invalid. */
export class ReviewError extends Error {}

/** The verdict of a decoded review. Throws ReviewError. */
export function readVerdict(review: JsonObject, question: Question): Verdict {
  const response = objectAt(review, "response");
  if (response === undefined) throw new ReviewError("webhook response was absent");
  if (question.form === "v1") checkIdentity(review, response, question);
  const { patch, patchType } = readPatch(response, question);
  return {
    allowed: response["allowed"] === true,
    status: objectAt(response, "status"),
    warnings: textsAt(response, "warnings"),
    patch,
    patchType,
  };
}

function checkIdentity(review: JsonObject, response: JsonObject, { uid }: Question): void {
  const given = textAt(response, "uid");
  if (given !== uid) throw new ReviewError(`expected response.uid=${goQuote(uid)}, got ${goQuote(given)}`);
  const [group, version] = partsOfApiVersion(textAt(review, "apiVersion"));
  const said = `${group === "" && version !== "" ? version : `${group}/${version}`}, Kind=${textAt(review, "kind")}`;
  const expected = `${GROUP}/v1, Kind=${KIND}`;
  if (said !== expected) throw new ReviewError(`expected webhook response of ${expected}, got ${said}`);
}

/** Only v1 responses have their patch validated. */
function readPatch(response: JsonObject, { mutating, form }: Question): Pick<Verdict, "patch" | "patchType"> {
  const patch = textAt(response, "patch");
  const { patchType } = response;
  const complaint = form === "v1" ? complaintOfPatch(mutating, patch, patchType) : undefined;
  if (complaint !== undefined) throw new ReviewError(complaint);
  if (!mutating || patch === "") return { patch: undefined, patchType: "" };
  return { patch, patchType: form === "v1" ? textAt(response, "patchType") : "JSONPatch" };
}

function complaintOfPatch(mutating: boolean, patch: string, type: unknown): string | undefined {
  const typed = typeof type === "string";
  if (!mutating) {
    if (patch !== "") return "validating webhook may not return response.patch";
    return typed ? "validating webhook may not return response.patchType" : undefined;
  }
  if (patch !== "" && !typed) return "webhook returned response.patch but not response.patchType";
  if (patch === "" && typed) return "webhook returned response.patchType but not response.patch";
  return type === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}

const CLIENT_ERROR = 400;
/** HTTP allows no greater status codes: a kube-apiserver panics at one. */
const CODE_MAX = 999;

/** The error for the client: the webhook's Status, with the webhook's name before the message. */
export function refusalBy({ name }: { readonly name: string }, given: JsonObject | undefined): StatusError {
  const denied = `admission webhook ${goQuote(name)} denied the request`;
  const reason = textAt(given, "reason");
  const code = numberAt(given, "code") ?? 0;
  if (code > CODE_MAX)
    throw plainError("This request caused apiserver to panic. Look in the logs for details.");
  const details = objectAt(given, "details");
  const said = textAt(given, "status");
  const explained = textAt(given, "message") || reason;
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: objectAt(given, "metadata") ?? {},
    status: said === "" || said === "Success" ? "Failure" : said,
    message: explained === "" ? `${denied} without explanation` : `${denied}: ${explained}`,
    ...(reason === "" ? {} : { reason }),
    ...(details ? { details } : {}),
    code: Math.max(code, CLIENT_ERROR),
  };
  return new StatusError(status as Status); // the webhook's Status is passed on
}
