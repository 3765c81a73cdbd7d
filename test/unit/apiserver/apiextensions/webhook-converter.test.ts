import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";
import { decodeYaml } from "../../../../src/apimachinery/yaml/decode-yaml.ts";
import type { CallWebhook } from "../../../../src/apiserver/apiextensions/webhook-call.ts";
import { webhookConverter } from "../../../../src/apiserver/apiextensions/webhook-converter.ts";
import type { WebhookAnswer, WebhookTarget } from "../../../../src/apiserver/registry/webhook.ts";

const IDS = { uid: () => "the-uid", nameSuffix: () => "x" };
const SUBJECT = "conversion webhook for example.com/v1, Kind=Thing";

const crdWith = (webhook: JsonObject | undefined, strategy = "Webhook"): JsonObject => ({
  spec: { conversion: { strategy, ...(webhook ? { webhook } : {}) } },
});

const WEBHOOK = { clientConfig: { url: "https://h/x" }, conversionReviewVersions: ["v9", "v1"] };

const thing = (name: string): KubeObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name, uid: `uid of ${name}`, resourceVersion: "7", labels: { a: "b" } },
});

interface Sent {
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: KubeObject[];
  };
}

/** The answer of a webhook that converts as it should, changed at these places. */
function answerTo(question: string, change: (review: JsonObject) => void = () => {}): WebhookAnswer {
  const { request } = JSON.parse(question) as Sent;
  const review = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: {
      uid: request.uid,
      result: { status: "Success" },
      convertedObjects: request.objects.map((object) => ({
        ...object,
        apiVersion: request.desiredAPIVersion,
      })),
    },
  };
  change(review);
  return answered(JSON.stringify(review));
}

const answered = (text: string): WebhookAnswer => ({
  status: 200,
  contentType: "application/json",
  body: Buffer.from(text),
  readYaml: async () => decodeYaml(text).value,
});

async function convert(
  call: CallWebhook,
  objects = [thing("a")],
  webhook: JsonObject = WEBHOOK,
): Promise<unknown> {
  const converter = webhookConverter(crdWith(webhook), { ids: IDS, call });
  try {
    return await converter?.convertAll(objects, "example.com/v2");
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return [error.code, error.reason, error.message];
  }
}

test("kinds without a webhook have no converter", () => {
  const call = () => Promise.reject(new Error("nobody calls"));
  expect(webhookConverter(crdWith(undefined, "None"), { ids: IDS, call })).toBeUndefined();
});

test("each object is sent by itself, in the first version of the review that is known", async () => {
  const asked: [WebhookTarget, string][] = [];
  const objects = await convert(
    async (target, question) => {
      asked.push([target, question]);
      return answerTo(question);
    },
    [thing("a"), thing("b")],
  );
  expect(asked).toHaveLength(2);
  expect(asked[0]?.[0]).toEqual({ url: "https://h/x", caBundle: "", service: undefined });
  const sent = '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"labels":{"a":"b"},"name":"a"';
  expect(asked[0]?.[1]).toBe(
    `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"the-uid","desiredAPIVersion":"example.com/v2","objects":[${sent},"resourceVersion":"7","uid":"uid of a"}}]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}\n`,
  );
  expect(objects).toMatchObject([
    { apiVersion: "example.com/v2", metadata: { name: "a", resourceVersion: "7" } },
    { apiVersion: "example.com/v2", metadata: { name: "b", resourceVersion: "7" } },
  ]);
});

test("many objects are converted in their order, a few at a time", async () => {
  let underWay = 0;
  let most = 0;
  const call: CallWebhook = async (_target, question) => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    return answerTo(question);
  };
  const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
  expect(await convert(call, names.map(thing))).toMatchObject(names.map((name) => ({ metadata: { name } })));
  expect(most).toBe(16);
});

test("of metadata a webhook has its say about labels and annotations only", async () => {
  const objects = await convert(async (_target, question) =>
    answerTo(question, (review) => {
      const [object] = (review["response"] as { convertedObjects: KubeObject[] }).convertedObjects; // made above
      Object.assign(object?.metadata ?? {}, {
        labels: undefined,
        annotations: { n: "1" },
        finalizers: ["x/y"],
      });
    }),
  );
  expect(objects).toEqual([
    {
      apiVersion: "example.com/v2",
      kind: "Thing",
      metadata: { name: "a", uid: "uid of a", resourceVersion: "7", annotations: { n: "1" } },
    },
  ]);
});

describe("an answer is refused", () => {
  const inResponse = (more: JsonObject) => (review: JsonObject) =>
    Object.assign(review["response"] as object, more);
  const inObject = (more: JsonObject) => (review: JsonObject) => {
    const [object] = (review["response"] as { convertedObjects: JsonObject[] }).convertedObjects; // made above
    Object.assign(object ?? {}, more);
  };
  const metadata = { name: "a", uid: "uid of a" };

  test.each<[string, (review: JsonObject) => void, string]>([
    [
      "that is to another question",
      inResponse({ uid: "other" }),
      `${SUBJECT} failed: expected response.uid="the-uid", got "other"`,
    ],
    [
      "that is of another kind",
      (review) => Object.assign(review, { kind: "X" }),
      `${SUBJECT} failed: no kind "X" is registered for version "apiextensions.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`,
    ],
    ["without a response", (review) => delete review["response"], `${SUBJECT} failed: no response provided`],
    [
      "that says no, with its words",
      inResponse({ result: { status: "Failure", message: "no way" } }),
      `${SUBJECT} failed: no way`,
    ],
    [
      "that says nothing",
      inResponse({ result: {} }),
      `${SUBJECT} failed: response.result.status was '', not 'Success'`,
    ],
    [
      "with too few objects",
      inResponse({ convertedObjects: [] }),
      `${SUBJECT} returned 0 objects, expected 1`,
    ],
    [
      "in another version",
      inObject({ apiVersion: "example.com/v3" }),
      `${SUBJECT} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v3)`,
    ],
    [
      "of another kind of object",
      inObject({ kind: "Other" }),
      `${SUBJECT} returned invalid object at index 0: invalid kind (expected Thing, received Other)`,
    ],
    [
      "with another object",
      inObject({ metadata: { name: "b" } }),
      `${SUBJECT} returned invalid object: must have the same name: a != b`,
    ],
    [
      "with another uid",
      inObject({ metadata: { name: "a", uid: "x" } }),
      `${SUBJECT} returned invalid object: must have the same UID: uid of a != x`,
    ],
    ["with nothing for an object", inResponse({ convertedObjects: [null] }), "unexpected end of JSON input"],
    [
      "with a text for an object",
      inResponse({ convertedObjects: ["x"] }),
      "json: cannot unmarshal string into Go value of type map[string]interface {}",
    ],
    [
      "with an object without a kind, which is shown",
      inResponse({ convertedObjects: [{ spec: { b: 1, a: 2 } }] }),
      `Object 'Kind' is missing in '{"spec":{"b":1,"a":2}}'`,
    ],
    [
      "with a result of another type",
      inResponse({ result: "Success" }),
      `${SUBJECT} failed: json: cannot unmarshal string into Go struct field ConversionResponse.response.result of type v1.Status`,
    ],
    [
      "with a uid of another type",
      inResponse({ uid: 5 }),
      `${SUBJECT} failed: json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID`,
    ],
    [
      "with objects that are no list",
      inResponse({ convertedObjects: {} }),
      `${SUBJECT} failed: json: cannot unmarshal object into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension`,
    ],
    [
      "in the older version of the review",
      (review) => Object.assign(review, { apiVersion: "apiextensions.k8s.io/v1beta1" }),
      `${SUBJECT} failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
    ],
    [
      "that is a Status",
      (review) => Object.assign(review, { apiVersion: "v1", kind: "Status", response: undefined }),
      `${SUBJECT} failed: converting (v1.Status) to (v1.ConversionReview): unknown conversion`,
    ],
    [
      "that does not name its type",
      (review) => Object.assign(review, { apiVersion: undefined, kind: undefined }),
      `${SUBJECT} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
    ],
    [
      "with annotations that may not be",
      inObject({ metadata: { ...metadata, annotations: { "a b": "c" } } }),
      `${SUBJECT} returned invalid metadata: metadata.annotation: Invalid value: "a b": `,
    ],
    [
      "with labels that are none",
      inObject({ metadata: { ...metadata, labels: { a: 1 } } }),
      `${SUBJECT} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
    ],
    [
      "with labels that may not be",
      inObject({ metadata: { ...metadata, labels: { "a b": "c" } } }),
      `${SUBJECT} returned invalid metadata: metadata.labels: Invalid value: "a b": `,
    ],
  ])("%s", async (_what, change, message) => {
    const result = await convert(async (_target, question) => answerTo(question, change));
    expect(result).toEqual([500, "", expect.stringContaining(message)]);
  });
});

test.each([
  [
    "hello",
    "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string",
  ],
  [
    "[]",
    "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct {",
  ],
  ["null", "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind="],
  ["{} xx", "couldn't get version/kind; json parse error: invalid character 'x' after top-level value"],
])("a body that is no review: %s", async (text, message) => {
  const result = await convert(async () => answered(text));
  expect(result).toEqual([500, "", expect.stringContaining(`${SUBJECT} failed: ${message}`)]);
});

test("what keeps the call from being made is told", async () => {
  const call = () =>
    Promise.reject(new Error('Post "https://h/x?timeout=30s": dial tcp 1.2.3.4:443: i/o timeout'));
  expect(await convert(call)).toEqual([
    500,
    "",
    `${SUBJECT} failed: Post "https://h/x?timeout=30s": dial tcp 1.2.3.4:443: i/o timeout`,
  ]);
});

test("a webhook that speaks no known form cannot be asked", async () => {
  const call = () => Promise.reject(new Error("nobody calls"));
  const webhook = { ...WEBHOOK, conversionReviewVersions: ["v9"] };
  expect(await convert(call, [thing("a")], webhook)).toEqual([
    500,
    "",
    "no supported conversion review versions",
  ]);
});

test("the older form need not name itself in its answer", async () => {
  const call: CallWebhook = async (_target, question) => {
    expect(JSON.parse(question).apiVersion).toBe("apiextensions.k8s.io/v1beta1");
    return answerTo(question, (review) => {
      delete review["kind"];
      delete review["apiVersion"];
    });
  };
  const webhook = { ...WEBHOOK, conversionReviewVersions: ["v1beta1"] };
  expect(await convert(call, [thing("a")], webhook)).toMatchObject([{ apiVersion: "example.com/v2" }]);
});
