import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { AdmissionAttributes } from "../../../../../src/apiserver/registry/admission.ts";
import { dropRepeatedOwners } from "../../../../../src/apiserver/registry/write/prepare.ts";
import { type Answer, configMap, JSON_PATCH, MERGE_PATCH, TestApi } from "../../endpoints/support.ts";
import { contextFor, object } from "../support.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const ADVICE =
  "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed:";
const IN_REQUEST = `.metadata.ownerReferences contains duplicate entries; ${ADVICE}`;
const AFTER_ADMISSION = `.metadata.ownerReferences contains duplicate entries after mutating admission happens; ${ADVICE}`;

const owner = (uid: string, more: JsonObject = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: `o-${uid}`,
  uid,
  ...more,
});
const owned = (...ownerReferences: readonly JsonObject[]) => configMap("c", {}, { ownerReferences });
const ownersOf = ({ body }: Answer) => (body["metadata"] as JsonObject)["ownerReferences"];

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

describe("an owner that is named twice", () => {
  const twice = owned(owner("u", { controller: true }), owner("u", { controller: true }));

  test("counts once in what is posted, and there is a warning", async () => {
    const answer = await api.post(CONFIG_MAPS, twice);
    expect(answer).toMatchObject({ status: 201, warnings: [`${IN_REQUEST} u`] });
    expect(ownersOf(answer)).toEqual([owner("u", { controller: true })]);
  });

  test("is dropped before the fields get their owner", async () => {
    const url = `${CONFIG_MAPS}?fieldManager=m`;
    const repeated = await api.post(url, twice);
    await api.send("DELETE", `${CONFIG_MAPS}/c`);
    const once = await api.post(url, owned(owner("u", { controller: true })));
    const entries = ({ body }: Answer) => (body["metadata"] as JsonObject)["managedFields"];
    expect(entries(repeated)).toEqual(entries(once));
  });

  test("counts once in what is put", async () => {
    await api.post(CONFIG_MAPS, configMap("c"));
    const answer = await api.put(`${CONFIG_MAPS}/c`, twice);
    expect(answer).toMatchObject({ status: 200, warnings: [`${IN_REQUEST} u`] });
    expect(ownersOf(answer)).toHaveLength(1);
  });

  test("counts once in what a patch makes, and the warning says when that was seen", async () => {
    await api.post(CONFIG_MAPS, configMap("c"));
    const metadata = (twice as { metadata: JsonObject }).metadata;
    const merged = await api.patch(MERGE_PATCH, `${CONFIG_MAPS}/c`, { metadata });
    expect(merged).toMatchObject({ status: 200, warnings: [`${AFTER_ADMISSION} u`] });
    expect(ownersOf(merged)).toHaveLength(1);
    const added = { op: "add", path: "/metadata/ownerReferences/-", value: owner("u", { controller: true }) };
    const again = await api.patch(JSON_PATCH, `${CONFIG_MAPS}/c`, [added, added]);
    expect(again).toMatchObject({ status: 200, warnings: [`${AFTER_ADMISSION} u, u`] });
    expect(ownersOf(again)).toHaveLength(1);
  });

  test("is refused in an applied configuration, which is a map by uid", async () => {
    expect((await api.apply("m", `${CONFIG_MAPS}/c`, twice)).status).toBe(500);
  });

  test("with anything else in the reference stays", async () => {
    const answer = await api.post(CONFIG_MAPS, owned(owner("u"), owner("v"), owner("u", { name: "other" })));
    expect(answer).toMatchObject({ status: 201, warnings: [] });
    expect(ownersOf(answer)).toHaveLength(3);
  });

  test("by admission counts once", async () => {
    const repeat = ({ object }: AdmissionAttributes) => {
      const references = object?.metadata.ownerReferences ?? [];
      if (object) object.metadata.ownerReferences = [...references, ...references];
    };
    api.admission.push({ name: "Repeat", admit: repeat });
    const owners = { ownerReferences: [owner("u"), owner("v")] };
    const answer = await api.apply("m", `${CONFIG_MAPS}/c`, configMap("c", {}, owners));
    expect(answer).toMatchObject({ status: 201, warnings: [`${AFTER_ADMISSION} u, v`] });
    expect(ownersOf(answer)).toHaveLength(2);
  });
});

test("nothing is touched where nothing is repeated", () => {
  const context = contextFor();
  const references = Object.freeze([owner("u"), owner("v")]);
  const given = object("c", {}, { ownerReferences: references as unknown as JsonObject[] });
  dropRepeatedOwners(given, context, "request");
  expect(given.metadata.ownerReferences).toBe(references);
  expect(context.warnings).toEqual([]);
});
