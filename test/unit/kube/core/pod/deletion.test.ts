// Deletion of a pod through the API: the grace period depends on its node, and watchers receive each step.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { type Answer, MERGE_PATCH, TestApi } from "../../../apiserver/endpoints/support.ts";

const PODS = "/api/v1/namespaces/default/pods";
const POD = `${PODS}/p`;

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const create = (spec: JsonObject = {}, metadata: JsonObject = {}): Promise<Answer> =>
  api.post(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });
const remove = (gracePeriodSeconds?: number, query = ""): Promise<Answer> =>
  api.send("DELETE", POD + query, gracePeriodSeconds === undefined ? {} : { body: { gracePeriodSeconds } });
const metadataOf = ({ body }: Answer) => body["metadata"] as JsonObject; // every object has it
const isThere = async () => (await api.get(POD)).status === 200;

describe("a pod without a node", () => {
  it("goes at once: marked in one revision, removed in the next, which the answer names", async () => {
    const { resourceVersion } = metadataOf(await create());
    const watch = await api.watch(`${PODS}?watch=1&resourceVersion=${String(resourceVersion)}`);
    const answer = await remove(60);
    expect(metadataOf(answer)).toMatchObject({
      generation: 2,
      deletionTimestamp: expect.any(String),
      deletionGracePeriodSeconds: 0,
      resourceVersion: String(api.store.revision),
    });
    expect(await isThere()).toBe(false);
    expect(await watch.names()).toEqual(["MODIFIED p", "DELETED p"]);
  });

  it("is shown as it would go by a dry run, and stays as it is", async () => {
    const { resourceVersion } = metadataOf(await create());
    const answer = await remove(undefined, "?dryRun=All");
    expect(metadataOf(answer)).toMatchObject({ deletionGracePeriodSeconds: 0, resourceVersion });
    expect(metadataOf(await api.get(POD))).toMatchObject({ resourceVersion, generation: 1 });
  });

  it("stays while finalizers hold it and goes with the last of them", async () => {
    await create({}, { finalizers: ["x.example.com/y"] });
    await remove(0);
    expect(await isThere()).toBe(true);
    await api.patch(MERGE_PATCH, POD, { metadata: { finalizers: null } });
    expect(await isThere()).toBe(false);
  });
});

describe("a pod on a node", () => {
  const onNode = { nodeName: "n" };

  it("gets the time that its spec says", async () => {
    await create({ ...onNode, terminationGracePeriodSeconds: 7 });
    const answer = await remove();
    expect(answer.status).toBe(200);
    expect(metadataOf(answer)).toMatchObject({ deletionGracePeriodSeconds: 7, generation: 2 });
    expect(await isThere()).toBe(true);
  });

  it("goes for good only without any time, which may come later", async () => {
    await create(onNode);
    expect(metadataOf(await remove(20))).toMatchObject({ deletionGracePeriodSeconds: 20 });
    expect(metadataOf(await remove(25))).toMatchObject({ deletionGracePeriodSeconds: 20 });
    expect(metadataOf(await remove(5))).toMatchObject({ deletionGracePeriodSeconds: 5, generation: 2 });
    await remove(0);
    expect(await isThere()).toBe(false);
  });

  it("is not gone when its finalizers go before its time is over", async () => {
    await create(onNode, { finalizers: ["x.example.com/y"] });
    await remove(20);
    await api.patch(MERGE_PATCH, POD, { metadata: { finalizers: null } });
    expect(await isThere()).toBe(true);
  });

  it("needs no time when it has ended", async () => {
    await create(onNode);
    await api.patch(MERGE_PATCH, `${POD}/status`, { status: { phase: "Succeeded" } });
    await remove();
    expect(await isThere()).toBe(false);
  });

  it("answers 202 to who orphans nothing in the old way", async () => {
    await create(onNode);
    expect((await api.send("DELETE", POD, { body: { orphanDependents: false } })).status).toBe(202);
  });

  it("is not deleted when it is another one", async () => {
    await create(onNode);
    const body = { preconditions: { uid: "11111111-2222-3333-4444-555555555555" } };
    expect((await api.send("DELETE", POD, { body })).status).toBe(409);
    expect(metadataOf(await api.get(POD))).not.toHaveProperty("deletionTimestamp");
  });
});
