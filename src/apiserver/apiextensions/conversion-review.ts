// Request and response of a conversion webhook (apiextensions.k8s.io ConversionReview), in the versions v1 and v1beta1.
// Errors have the texts of apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go.
import { objectAt, textAt } from "../../apimachinery/json/json.ts";
import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import { describeKind } from "../../apimachinery/patch/apply/apply-patch.ts";
import { schemaRef } from "../../apimachinery/schema/go/schema-library.ts";
import type { WebhookAnswer } from "../registry/webhook.ts";
import { decodeReview, reviewType } from "../registry/webhook-answer.ts";

const GROUP = "apiextensions.k8s.io";
const KIND = "ConversionReview";
const VERSIONS = ["v1", "v1beta1"];

/** The first version of the review that both sides support. */
export const reviewVersion = (wanted: readonly string[]): string | undefined =>
  wanted.find((version) => VERSIONS.includes(version));

export interface Question {
  /** Version of the review. */
  readonly version: string;
  readonly uid: string;
  /** Desired apiVersion of the object. */
  readonly apiVersion: string;
  readonly object: unknown;
}

/** Empty response of a request: Go encodes the empty struct. */
const NO_RESPONSE = '{"uid":"","convertedObjects":null,"result":{"metadata":{}}}';

/** The review as JSON, with its members in the order of the Go structs. */
export function encodeQuestion({ version, uid, apiVersion, object }: Question): string {
  const request = `{"uid":${encodeJson(uid)},"desiredAPIVersion":${encodeJson(apiVersion)},"objects":[${encodeJson(object)}]}`;
  return `{"kind":"${KIND}","apiVersion":"${GROUP}/${version}","request":${request},"response":${NO_RESPONSE}}\n`;
}

/** Reason why a response is not a valid conversion. */
export class ReviewError extends Error {}

/** Converted objects of a response. Rejects with an Error. */
export async function readAnswer(
  answer: WebhookAnswer,
  { version, uid }: Question,
): Promise<readonly unknown[]> {
  const review = await decodeReview(answer, CONVERSION_REVIEW, version);
  const expected = `${GROUP}/${version}, Kind=${KIND}`;
  const said = describeKind(review);
  // The decoder defaults an absent apiVersion and kind; here they are required.
  if (version === "v1" && said !== expected)
    throw new ReviewError(`expected webhook response of ${expected}, got ${said}`);
  const response = objectAt(review, "response");
  if (response === undefined) throw new ReviewError("no response provided");
  const given = textAt(response, "uid");
  if (version === "v1" && given !== uid)
    throw new ReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
  const result = objectAt(response, "result");
  const status = textAt(result, "status");
  if (status !== "Success") {
    const unexplained = `response.result.status was '${status}', not 'Success'`;
    throw new ReviewError(textAt(result, "message") || unexplained);
  }
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

const TEXT = { type: "string" };
const UID = { ...TEXT, "x-egret-type": "types.UID" };
const OBJECTS = { type: "array", items: schemaRef("io.k8s.apimachinery.pkg.runtime.RawExtension") };
const STATUS = schemaRef("io.k8s.apimachinery.pkg.apis.meta.v1.Status");

/** Schemas of its Go types, which no OpenAPI document has. */
const CONVERSION_REVIEW = reviewType(
  GROUP,
  KIND,
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
  (refTo) => ({
    ConversionReview: {
      type: "object",
      properties: {
        ...{ kind: TEXT, apiVersion: TEXT },
        request: refTo("ConversionRequest"),
        response: refTo("ConversionResponse"),
      },
    },
    ConversionRequest: {
      type: "object",
      properties: { uid: UID, desiredAPIVersion: TEXT, objects: OBJECTS },
    },
    ConversionResponse: {
      type: "object",
      properties: { uid: UID, convertedObjects: OBJECTS, result: STATUS },
    },
  }),
);
