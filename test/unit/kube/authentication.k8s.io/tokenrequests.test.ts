import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { namespace, TestApi } from "../../apiserver/endpoints/support.ts";

const ACCOUNTS = "/api/v1/namespaces/a/serviceaccounts";
const TOKEN = `${ACCOUNTS}/robot/token`;
const SERVER = "https://kubernetes.default.svc.cluster.local";

let api: TestApi;
let uid: string;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post("/api/v1/namespaces", namespace("a"));
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } };
  const { body } = await api.post(ACCOUNTS, account);
  uid = uidOf(body);
});
afterEach(() => api[Symbol.asyncDispose]());

const request = (spec: JsonObject = {}, metadata: JsonObject = {}) => ({
  apiVersion: "authentication.k8s.io/v1",
  kind: "TokenRequest",
  metadata,
  spec,
});

const uidOf = (object: JsonObject) => (object["metadata"] as { uid: string }).uid;

async function claimsFor(spec: JsonObject) {
  const { status, body } = await api.post(TOKEN, request(spec));
  expect(status).toBe(201);
  return JSON.parse((body["status"] as { token: string }).token);
}

describe("a token is made", () => {
  test("for the server and an hour unless something else was asked", async () => {
    const { status, body } = await api.post(TOKEN, request());
    const { managedFields, ...metadata } = body["metadata"] as JsonObject;
    expect(status).toBe(201);
    expect(managedFields).toMatchObject([
      { operation: "Update", subresource: "token", fieldsV1: { "f:spec": { "f:expirationSeconds": {} } } },
    ]);
    const { creationTimestamp } = metadata;
    const untilMs = Date.parse(String(creationTimestamp)) + 3_600_000;
    expect({ ...body, metadata }).toMatchObject({
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "robot", namespace: "a" },
      spec: { audiences: [SERVER], expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: `${new Date(untilMs).toISOString().slice(0, 19)}Z` },
    });
    expect(await claimsFor({})).toMatchObject({
      namespace: "a",
      account: { name: "robot", uid },
      audiences: [SERVER],
    });
  });

  test("for the audiences and the time that were asked", async () => {
    const claims = await claimsFor({ audiences: ["x", "y"], expirationSeconds: 600 });
    expect(claims.audiences).toEqual(["x", "y"]);
    expect(claims.untilMs - claims.fromMs).toBe(600_000);
  });

  test("bound to a Pod of the account, and tells its Node", async () => {
    const spec = { serviceAccountName: "robot", nodeName: "n", containers: [{ name: "c", image: "i" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };
    const made = await api.post("/api/v1/namespaces/a/pods", pod);
    expect(made.status).toBe(201);
    const claims = await claimsFor({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" } });
    expect(claims.boundTo).toEqual({ kind: "pod", name: "p", uid: uidOf(made.body) });
    expect(claims.node).toEqual({ name: "n", uid: "" });
  });

  test("bound to a Secret", async () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
    const made = await api.post("/api/v1/namespaces/a/secrets", secret);
    const ref = { apiVersion: "v1", kind: "Secret", name: "s", uid: uidOf(made.body) };
    expect((await claimsFor({ boundObjectRef: ref })).boundTo).toMatchObject({ kind: "secret", name: "s" });
  });

  test("and is not stored", async () => {
    await api.post(TOKEN, request());
    expect((await api.get(TOKEN)).status).toBe(405);
    const account = await api.get(`${ACCOUNTS}/robot`);
    expect(uidOf(account.body)).toBe(uid);
  });
});

describe("it is refused", () => {
  const invalid = (name: string, rest: string) =>
    `TokenRequest.authentication.k8s.io "${name}" is invalid: ${rest}`;
  test.each([
    [
      "less than ten minutes",
      request({ expirationSeconds: 599 }),
      422,
      invalid(
        "",
        "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
      ),
    ],
    [
      "more than 2^32 seconds",
      request({ expirationSeconds: 2 ** 32 + 1 }),
      422,
      invalid(
        "",
        "spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
      ),
    ],
    [
      "the name of another account",
      request({}, { name: "other" }),
      422,
      invalid(
        "robot",
        'metadata.name: Invalid value: "other": must match the service account name if specified',
      ),
    ],
    [
      "another namespace",
      request({}, { namespace: "b" }),
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "a Pod that is not there",
      request({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" } }),
      404,
      'pods "p" not found',
    ],
    [
      "something that tokens cannot be bound to",
      request({ boundObjectRef: { apiVersion: "v1", kind: "constructor", name: "p" } }),
      400,
      "cannot bind token to object of type /v1, Kind=constructor",
    ],
    [
      "another kind",
      { ...request(), kind: "TokenReview" },
      400,
      'TokenReview in version "v1" cannot be handled as a TokenRequest: converting (v1.TokenReview) to (authentication.TokenRequest): unknown conversion',
    ],
  ])("for %s", async (_what, body, status, message) => {
    const answer = await api.post(TOKEN, body);
    expect({ status: answer.status, message: answer.body["message"] }).toEqual({ status, message });
  });

  test.each([2 ** 53, 2 ** 60])("for %d seconds, which is decoded as a bigint", async (seconds) => {
    const { status, body } = await api.post(TOKEN, request({ expirationSeconds: seconds }));
    expect(status).toBe(422);
    const why = "may not specify a duration larger than 2^32 seconds";
    expect(body["message"]).toBe(invalid("", `spec.expirationSeconds: Invalid value: ${seconds}: ${why}`));
  });

  test("for an account that is not there", async () => {
    const { status, body } = await api.post(`${ACCOUNTS}/none/token`, request());
    expect(status).toBe(404);
    expect(body["message"]).toBe('serviceaccounts "none" not found');
  });

  test("for another object than the one that was meant", async () => {
    await api.post("/api/v1/namespaces/a/secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
    });
    const ref = { apiVersion: "v1", kind: "Secret", name: "s", uid: "another" };
    const { status, body } = await api.post(TOKEN, request({ boundObjectRef: ref }));
    expect(status).toBe(409);
    expect(body["message"]).toContain("the UID in the bound object reference (another) does not match");
  });

  test("for a Pod of another account", async () => {
    const spec = { serviceAccountName: "other", containers: [{ name: "c", image: "i" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec };
    await api.post("/api/v1/namespaces/a/pods", pod);
    const ref = { apiVersion: "v1", kind: "Pod", name: "p" };
    const { status, body } = await api.post(TOKEN, request({ boundObjectRef: ref }));
    expect(status).toBe(400);
    expect(body["message"]).toContain('cannot bind token for serviceaccount "robot" to pod');
  });
});
