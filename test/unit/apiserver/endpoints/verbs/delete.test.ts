import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { configMap, TestApi } from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  await api.post(CONFIG_MAPS, configMap("c"));
});
afterEach(() => api[Symbol.asyncDispose]());

const isThere = async () => (await api.get(`${CONFIG_MAPS}/c`)).status === 200;
const messageOf = ({ body }: { readonly body: JsonObject }) => body["message"];
const metadataOf = async () => (await api.get(`${CONFIG_MAPS}/c`)).body["metadata"] as JsonObject; // of every object

describe("preconditions in the query", () => {
  test.each([
    ["uid=abc", "the UID in the precondition (abc) does not match the UID in record"],
    [
      "resourceVersion=1",
      "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record",
    ],
  ])("?%s: another object stays", async (query, why) => {
    for (const url of [`${CONFIG_MAPS}/c`, CONFIG_MAPS]) {
      const answer = await api.send("DELETE", `${url}?${query}`);
      expect(answer.status).toBe(409);
      expect(messageOf(answer)).toContain(`Operation cannot be fulfilled on ConfigMap "c": ${why}`);
    }
    expect(await isThere()).toBe(true);
  });

  test("that hold let the object go", async () => {
    const { uid, resourceVersion } = await metadataOf();
    const url = `${CONFIG_MAPS}/c?uid=${uid}&resourceVersion=${resourceVersion}`;
    expect((await api.send("DELETE", url)).status).toBe(200);
    expect(await isThere()).toBe(false);
  });

  test("are not read where there is a body", async () => {
    expect((await api.send("DELETE", `${CONFIG_MAPS}/c?uid=abc`, { body: {} })).status).toBe(200);
  });
});

test("of a collection, the options of the list are looked at before those of the deletion", async () => {
  const answer = await api.send("DELETE", `${CONFIG_MAPS}?gracePeriodSeconds=x&limit=y`);
  expect(messageOf(answer)).toBe('strconv.ParseInt: parsing "y": invalid syntax');
});

describe("an Event, which has no dependents to wait for,", () => {
  const EVENTS = "/api/v1/namespaces/default/events";
  const EVENTS_V1 = "/apis/events.k8s.io/v1/namespaces/default/events";
  const event = {
    metadata: { name: "ev1", namespace: "default" },
    involvedObject: { kind: "ConfigMap", name: "c", namespace: "default" },
    type: "Normal",
  };

  test.each([
    [EVENTS, "Orphan"],
    [EVENTS, "Foreground"],
    [EVENTS_V1, "Orphan"],
    [EVENTS_V1, "Foreground"],
  ])("goes at once: %s, %s", async (url, policy) => {
    expect((await api.post(EVENTS, event)).status).toBe(201);
    const answer = await api.send("DELETE", `${url}/ev1?propagationPolicy=${policy}`);
    expect(answer).toMatchObject({ status: 200, body: { kind: "Status", status: "Success" } });
    expect((await api.get(`${EVENTS}/ev1`)).status).toBe(404);
  });
});
