// The question to a conversion webhook and its answer (apiextensions.k8s.io ConversionReview), in the forms v1 and
// v1beta1. What is wrong with an answer is told in the words of a real server.
import { isObject, type JsonObject, objectAt, textOf } from "../../meta/json.ts";

const GROUP = "apiextensions.k8s.io";
const KIND = "ConversionReview";
const FORMS = ["v1", "v1beta1"];

/** The first form that both sides speak. */
export function reviewForm(wanted: readonly string[]): string | undefined {
  return wanted.find((version) => FORMS.includes(version));
}

export interface Question {
  readonly form: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly objects: readonly unknown[];
}

export function askFor({ form, uid, apiVersion, objects }: Question): JsonObject {
  return {
    kind: KIND,
    apiVersion: `${GROUP}/${form}`,
    request: { uid, desiredAPIVersion: apiVersion, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
}

/** Why an answer is none. */
export class ReviewError extends Error {}

/** The converted objects of an answer. Throws ReviewError. */
export function readAnswer(answer: unknown, { form, uid }: Question): unknown[] {
  if (!isObject(answer)) throw new ReviewError("couldn't get version/kind; json parse error");
  const response = objectAt(answer, "response");
  if (form === "v1") checkIdentity(answer, response, uid);
  if (response === undefined) throw new ReviewError("no response provided");
  const result = objectAt(response, "result");
  const status = textOf(result?.["status"]);
  if (status !== "Success") {
    throw new ReviewError(
      textOf(result?.["message"]) || `response.result.status was '${status}', not 'Success'`,
    );
  }
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

function checkIdentity(answer: JsonObject, response: JsonObject | undefined, uid: string): void {
  const said = `${textOf(answer["apiVersion"])}, Kind=${textOf(answer["kind"])}`;
  const expected = `${GROUP}/v1, Kind=${KIND}`;
  if (said !== expected) throw new ReviewError(`expected webhook response of ${expected}, got ${said}`);
  if (response === undefined) throw new ReviewError("no response provided");
  const given = textOf(response["uid"]);
  if (given !== uid) {
    throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  }
}
