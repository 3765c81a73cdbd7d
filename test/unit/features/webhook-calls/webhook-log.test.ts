import { describe, expect, test } from "vitest";
import { readJsonPatch } from "../../../../src/apimachinery/patch/json-patch.ts";
import type { AdmissionAttributes } from "../../../../src/apiserver/registry/admission.ts";
import type { WebhookCall } from "../../../../src/apiserver/registry/admission-observer.ts";
import { ControlSurface } from "../../../../src/features/control-surface/control-surface.ts";
import { webhookLogRoutes } from "../../../../src/features/webhook-calls/routes.ts";
import { WebhookLog } from "../../../../src/features/webhook-calls/webhook-log.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { openToAll } from "../control-surface/ask.ts";

const STARTED_MS = Date.UTC(2026, 0, 1, 12);

interface Told extends Partial<Omit<WebhookCall, "patch" | "review" | "attributes">> {
  readonly object?: object;
  readonly review?: string | undefined;
  readonly patch?: readonly object[];
  readonly name?: string;
}

function call({ object = {}, patch = [], name = "cm", ...more }: Told = {}): WebhookCall {
  const definition = { group: "", resource: "configmaps", kind: "ConfigMap" };
  const attributes = {
    ...{ operation: "CREATE", subresource: "", namespace: "web", name, object: undefined },
    view: { definition, version: { name: "v1" } },
    context: { dryRun: false, user: { name: "jane", groups: [] } },
  } as unknown as AdmissionAttributes; // the log reads no more of it
  return {
    ...{ webhook: "m.example.com", configuration: "conf", mutating: true, reinvoked: false, attributes },
    ...{ url: "https://127.0.0.1/m?timeout=10s", group: "", kind: "ConfigMap" },
    review: JSON.stringify({ kind: "AdmissionReview", request: { uid: "u", object } }),
    ...{ startedMs: STARTED_MS, durationMs: 1.26, verdict: "allowed", code: 200, message: "", warnings: [] },
    ...more,
    patch: readJsonPatch(patch).operations,
  };
}

function logOf(...calls: WebhookCall[]): WebhookLog {
  const log = new WebhookLog(5);
  for (const each of calls) log.webhookCalled(each);
  return log;
}

test("an entry says who was called about what, and what the patch has changed", () => {
  const log = logOf(
    call({
      object: { metadata: { labels: { a: "1" } }, data: { x: "1", list: [1, 2] } },
      patch: [
        { op: "replace", path: "/metadata/labels/a", value: "2" },
        { op: "add", path: "/metadata/labels/b.c", value: "new" },
        { op: "remove", path: "/data/x" },
      ],
    }),
  );
  expect(log.entries()).toEqual([
    {
      ...{ sequence: 1, time: "2026-01-01T12:00:00.000Z", webhook: "m.example.com", configuration: "conf" },
      ...{ type: "mutating", reinvoked: false, url: "https://127.0.0.1/m?timeout=10s", operation: "CREATE" },
      ...{ group: "", version: "v1", resource: "configmaps", subresource: "", namespace: "web", name: "cm" },
      ...{ dryRun: false, user: "jane", durationMs: 1.3, verdict: "allowed", code: 200 },
      changes: [
        { path: "metadata.labels.a", before: "1", after: "2" },
        { path: "metadata.labels['b.c']", after: "new" },
        { path: "data.x", before: "1" },
      ],
    },
  ]);
});

test("a patch that cannot be applied changes nothing, and the message says why", () => {
  const message = "remove operation does not apply";
  const entry = logOf(
    call({ patch: [{ op: "remove", path: "/x" }], verdict: "error", code: 0, message }),
  ).entries()[0];
  expect(entry).toMatchObject({ changes: [], message, verdict: "error" });
});

test("reviews come when they are wanted, as they were sent", () => {
  const review = '{"kind":"AdmissionReview","request":{"uid":"u","object":{"z":9007199254740993,"a":1}}}';
  const log = logOf(call({ review }));
  expect(log.entries()[0]).not.toHaveProperty("review");
  expect(log.entries({ reviews: true })[0]?.review).toEqual({
    kind: "AdmissionReview",
    request: { uid: "u", object: { z: 9007199254740993n, a: 1 } },
  });
});

describe("what is secret is not kept:", () => {
  const kept = (told: Told) => JSON.stringify(logOf(call(told)).entries({ reviews: true }));

  test("values of Secrets, also those in patches and in what kubectl has applied last", () => {
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "s3cret", note: "shown" };
    const text = kept({
      kind: "Secret",
      object: { metadata: { annotations }, data: { key: "s3cret" }, stringData: { other: "s3cret" } },
      patch: [
        { op: "test", path: "/data/key", value: "s3cret" },
        { op: "add", path: "/data/more", value: "s3cret" },
        { op: "replace", path: "/data", value: { more: "s3cret" } },
        { op: "copy", from: "/data/more", path: "/metadata/annotations/copied" },
        { op: "add", path: "/metadata/labels", value: { seen: "yes" } },
      ],
    });
    expect(text).not.toContain("s3cret");
    expect(
      kept({ kind: "Secret", patch: [{ op: "replace", path: "", value: { data: "s3cret" } }] }),
    ).not.toContain("s3cret");
    for (const shown of ["shown", '"key":', "data.more", "metadata.annotations.copied"])
      expect(text).toContain(shown);
  });

  test.each([
    ["TokenReview", { spec: { token: "s3cret", audiences: ["a"] } }],
    ["TokenRequest", { status: { token: "s3cret" }, spec: { audiences: ["a"] } }],
  ])("the token of a %s", (kind, object) => {
    const text = kept({ group: "authentication.k8s.io", kind, object });
    expect(text).not.toContain("s3cret");
    expect(text).toContain("audiences");
  });
});

describe("the log is bounded:", () => {
  const names = (log: WebhookLog) => log.entries().map(({ name }) => name);

  test("it has the last calls, and numbers all", () => {
    const log = logOf(...Array.from({ length: 12 }, (_, index) => call({ name: `c${index}` })));
    expect(names(log)).toEqual(["c7", "c8", "c9", "c10", "c11"]);
    expect([log.last, log.missed(0), log.missed(9)]).toEqual([12, 7, 0]);
  });

  test("a large review is not kept", () => {
    const entry = logOf(call({ object: { data: "x".repeat(300_000) } })).entries({ reviews: true })[0];
    expect(entry).toMatchObject({ omitted: "the review has more than 262144 characters", changes: [] });
    expect(entry).not.toHaveProperty("review");
  });

  test("of many large reviews the oldest are dropped", () => {
    const log = new WebhookLog(100);
    for (let index = 0; index < 250; index++)
      log.webhookCalled(call({ name: `c${index}`, object: { data: "x".repeat(200_000) } }));
    const entries = log.entries({ reviews: true });
    const kept = entries.filter(({ review }) => review !== undefined);
    expect(entries).toHaveLength(100);
    expect(kept.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `c${index + 230}`));
    expect(entries[0]?.omitted).toBe("later reviews took its place");
  });

  test("it is cleared, and goes on counting", () => {
    const log = logOf(call(), call());
    log.clear();
    expect([log.entries(), log.missed(0)]).toEqual([[], 0]);
    log.webhookCalled(call({ name: "later" }));
    expect(log.entries({ reviews: true })).toMatchObject([{ sequence: 3, name: "later", review: {} }]);
  });
});

describe("over HTTP", () => {
  const log = logOf(
    call({ name: "a" }),
    call({ name: "b", webhook: "v.example.com", verdict: "denied", code: 403, message: "no" }),
  );
  test.each<[string, string[]]>([
    ["", ["a", "b"]],
    ["webhook=v.*", ["b"]],
    ["verdict=denied", ["b"]],
    ["resource=pods", []],
    ["operation=CREATE&limit=1", ["b"]],
    ["since=1", ["b"]],
  ])("%s", async (query, expected) => {
    const { items } = await ask(log, "GET", query);
    expect(items.map(({ name }: { name: string }) => name)).toEqual(expected);
  });

  test("reviews, unknown filters, and the end of it all", async () => {
    const { items } = await ask(log, "GET", "reviews=true&limit=1");
    expect(items[0].review.kind).toBe("AdmissionReview");
    await expect(ask(log, "GET", "verb=get")).rejects.toThrow("there is no filter verb");
    await expect(ask(log, "GET", "since=now")).rejects.toMatchObject({ code: 400 });
    await ask(log, "DELETE", "");
    expect(await ask(log, "GET", "")).toEqual({ items: [], last: 2, missed: 0 });
  });
});

// biome-ignore lint/suspicious/noExplicitAny: the answer is what the test looks into
async function ask(log: WebhookLog, method: string, query: string): Promise<any> {
  const response = await new ControlSurface(webhookLogRoutes(log), openToAll).handle({
    ...askedFor(method, "/egret/v1/requests/webhooks", query),
    headers: {},
    body: undefined,
    user: { name: "jane", groups: [] },
  });
  const body = response?.body;
  return body instanceof Uint8Array ? JSON.parse(Buffer.from(body).toString()) : undefined;
}
