// Responses of admission webhooks, decoded as by the codec of k8s.io/apiserver v0.36.2: recorded from it, with the scheme
// name of a kube-apiserver. "= " precedes a decoded review.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isObject } from "../../../../src/apimachinery/json/json.ts";
import { decodeYaml } from "../../../../src/apimachinery/yaml/decode-yaml.ts";
import { ADMISSION_REVIEW } from "../../../../src/apiserver/admission/webhooks/review-types.ts";
import { decodeReview } from "../../../../src/apiserver/registry/webhook-answer.ts";

const RECORDED = new URL("../../../fixtures/webhooks/decoded-answers.json", import.meta.url);
type Row = [version: string, text: string, outcome: string];
const rows: Row[] = JSON.parse(readFileSync(RECORDED, "utf8"));

const answer = (text: string, status = 200, contentType = "application/json") => {
  const body = Buffer.from(text);
  return { status, contentType, body, readYaml: async () => decodeYaml(body).value };
};
const messageOf = (error: unknown) => (error as Error).message;

/** Without empty members, which Go writes for some types. */
function written(value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(
    ([key, item]) => key !== "request" && item !== undefined && item !== "" && item !== false,
  );
  return Object.fromEntries(members.map(([key, item]) => [key, written(item)]));
}

/**
 * Not modelled: protobuf; a struct that is given twice, whose members Go merges; keys in another case; numbers that are integers
 * in another spelling; the TypeMeta of a Status within a review.
 */
const LEFT_OUT = new RegExp(
  [
    ...["^k8s\\0", '^\\{"response":.*"response":', '^\\{"KIND"', "^ *$", "1e3|1\\.0|9{20}|1e999"],
    ...['"patchType":""', '"status":\\{"(kind|apiVersion)"'],
  ].join("|"),
);

describe("a review", () => {
  test.each(rows.filter(([version, text]) => version !== "status" && !LEFT_OUT.test(text)))(
    "%s %s",
    async (version, text, outcome) => {
      const decoded = await decodeReview(answer(text), ADMISSION_REVIEW, version).catch(messageOf);
      if (!outcome.startsWith("= ")) expect(decoded).toBe(outcome);
      else expect(written(decoded)).toEqual(written(JSON.parse(outcome.slice(2))));
    },
  );
});

describe("an HTTP error", () => {
  test.each(rows.filter(([version]) => version === "status"))("%s %s", async (_version, text, outcome) => {
    const message = await decodeReview(answer(text, 404), ADMISSION_REVIEW, "v1").catch(messageOf);
    const general = "the server could not find the requested resource";
    expect(message).toBe(outcome.startsWith("status: ") ? outcome.slice("status: ".length) : general);
  });

  test.each([
    [302, "", "", "the server responded with the status code 302 but did not return more information"],
    [403, "text/plain", " go away\n", "go away"],
    [403, "application/json", "go away", "unknown"],
    [403, "", "no type", "no type"],
    [406, "text/plain", "", "the server was unable to respond with a content type that the client supports"],
    [415, "text/html", "", ""],
    [
      500,
      "TEXT/plain",
      'a "b"',
      'an error on the server ("a \\"b\\"") has prevented the request from succeeding',
    ],
    [502, "a/b", "x", 'an error on the server ("unknown") has prevented the request from succeeding'],
    [200, "application/;;", "{}", "Internal error occurred: mime: expected token after slash"],
    [404, "a/b; c", "{}", "Internal error occurred: mime: invalid media parameter"],
    [200, "", "", "0-length response with status code: 200 and content type: application/json"],
  ])("%i of type %j with %j", async (status, contentType, text, message) => {
    const decoded = decodeReview(answer(text, status, contentType), ADMISSION_REVIEW, "v1");
    expect(await decoded.catch(messageOf)).toBe(message);
  });
});
