import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import {
  type Question,
  readVerdict,
  refusalBy,
} from "../../../../../src/apiserver/admission/webhooks/review.ts";
import { readWebhooks } from "../../../../../src/apiserver/admission/webhooks/webhook.ts";

const QUESTION: Question = {
  form: "v1",
  uid: "u",
  mutating: true,
  request: {},
  objects: { object: undefined, oldObject: undefined },
};
const answer = (response: object | undefined, more: object = {}) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  response: response && { uid: "u", allowed: true, ...response },
  ...more,
});

describe("an answer", () => {
  test.each<[what: string, given: JsonObject, why: string]>([
    ["without a response", answer(undefined), "webhook response was absent"],
    ["to another question", answer({ uid: "v" }), 'expected response.uid="u", got "v"'],
    [
      "in another form",
      answer({}, { apiVersion: "admission.k8s.io/v1beta1" }),
      "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1beta1, Kind=AdmissionReview",
    ],
    [
      "with an untyped patch",
      answer({ patch: "W10=" }),
      "webhook returned response.patch but not response.patchType",
    ],
    [
      "with a type only",
      answer({ patchType: "JSONPatch" }),
      "webhook returned response.patchType but not response.patch",
    ],
    [
      "with an empty type",
      answer({ patch: "W10=", patchType: "" }),
      'webhook returned invalid response.patchType of ""',
    ],
  ])("%s is none", (_what, given, why) => {
    expect(() => readVerdict(given, QUESTION)).toThrow(why);
  });

  test("of the old form may leave out who and what it is", () => {
    const verdict = readVerdict(
      { response: { allowed: true, patch: "W10=" } },
      { ...QUESTION, form: "v1beta1" },
    );
    expect(verdict).toMatchObject({ allowed: true, patch: "W10=", patchType: "JSONPatch" });
  });

  test.each([
    [{ patch: "W10=" }, "validating webhook may not return response.patch"],
    [{ patchType: "JSONPatch" }, "validating webhook may not return response.patchType"],
  ])("to a validating webhook cannot hold %j", (response, why) => {
    expect(() => readVerdict(answer(response), { ...QUESTION, mutating: false })).toThrow(why);
  });
});

test("a refusal is a Failure of at least 400, whatever the webhook says", () => {
  const [webhook] = readWebhooks({ metadata: { name: "c" }, webhooks: [{ name: "w.example.com" }] });
  if (webhook === undefined) throw new Error("there is one");
  const given = { status: "Success", code: 200, message: "no", details: { kind: "x" } };
  expect(refusalBy(webhook, given).status).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'admission webhook "w.example.com" denied the request: no',
    details: { kind: "x" },
    code: 400,
  });
});
