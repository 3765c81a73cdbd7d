// The parts of the webhook runner: what the webhook answers and records, and what is compared.
import { request } from "node:https";
import { json } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { HookAnswer } from "./runner/webhooks/case-book.ts";
import { Hook } from "./runner/webhooks/hook.ts";
import { HookNormaliser } from "./runner/webhooks/hook-normaliser.ts";
import { answerText } from "./runner/webhooks/hook-text.ts";

const REVIEW = {
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "u", requestKind: { kind: "ConfigMap" } },
};
const CONVERSION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: {
    uid: "u",
    desiredAPIVersion: "x.example/v2",
    objects: [{ apiVersion: "x.example/v1", spec: { a: 1 } }],
  },
};
const PATCH = [{ op: "add", path: "/data", value: {} }];

describe("an answer", () => {
  const answered = (review: unknown, answer: HookAnswer) => JSON.parse(answerText(review, answer));

  test("allows", () => {
    expect(answered(REVIEW, {})).toEqual({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: "u", allowed: true },
    });
  });

  test("has a patch, what is merged over it, and not what is without", () => {
    const answer = { patch: PATCH, response: { warnings: ["w"] }, without: ["response.allowed"] };
    expect(answered(REVIEW, answer).response).toEqual({
      ...{ uid: "u", patchType: "JSONPatch", warnings: ["w"] },
      patch: Buffer.from(JSON.stringify(PATCH)).toString("base64"),
    });
  });

  test("converts every object, as often as it says", () => {
    const { response } = answered(CONVERSION, {
      times: 2,
      each: { "metadata.name": "n", "spec.a": "(absent)" },
    });
    const object = { apiVersion: "x.example/v2", spec: { by: "hook" }, metadata: { name: "n" } };
    expect(response).toEqual({ uid: "u", convertedObjects: [object, object], result: { status: "Success" } });
  });

  test("is a text that is changed afterwards", () => {
    expect(answerText(REVIEW, { text: "abc", replace: [["b", "x"]], before: "<", after: ">" })).toBe("<axc>");
  });
});

test("the webhook keeps its calls, mutating ones in their order and validating ones by path", async () => {
  await using hook = await Hook.open();
  hook.answers = { "/m": { response: { uid: "of {{uid}}" } } };
  for (const path of ["/vb?timeout=1s", "/va", "/m"]) {
    const answer = await post(hook, path);
    expect(answer).toMatchObject({ response: { uid: path === "/m" ? "of u" : "u" } });
  }
  expect(hook.take().map(({ path }) => path)).toEqual(["/m", "/va", "/vb?timeout=1s"]);
  expect(hook.take()).toEqual([]);
});

function post({ address, ca }: Hook, path: string): Promise<unknown> {
  const [host, port] = address.split(":");
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, ca, method: "POST" }, (response) => resolve(json(response)));
    sent.on("error", reject).end(JSON.stringify(REVIEW));
  });
}

test("what is compared has symbols for the caller, the review and the webhook", () => {
  const facts = { id: "abc123de", ca: "Q0E=", address: "127.0.0.1:9999", caller: "admin" };
  const body = {
    request: {
      uid: "0a0a0a0a-0000-4000-8000-000000000000",
      requestKind: {},
      userInfo: { username: "admin", groups: ["g"] },
      object: { metadata: { managedFields: [{ manager: "b" }, { manager: "a" }] } },
      caBundle: "Q0E=",
      text: 'User "admin" at https://127.0.0.1:9999/x in hook-abc123de from 127.0.0.1:1->',
    },
  };
  expect(new HookNormaliser(facts).body(body)).toEqual({
    request: {
      ...{ uid: "<review>", requestKind: {}, userInfo: "<caller>", caBundle: "<ca>" },
      object: { metadata: { managedFields: [{ manager: "a" }, { manager: "b" }] } },
      text: 'User "<caller>" at https://<hook>/x in hook-<id> from <address>->',
    },
  });
});
