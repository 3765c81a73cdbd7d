// Properties of patches and of server-side apply through the API, over random kinds and objects.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalJson, isObject, type JsonObject } from "../../../src/apimachinery/json/json.ts";
import { encodeJson } from "../../../src/apimachinery/json/json-encode.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { JSON_PATCH, MERGE_PATCH, TestApi, THINGS, thing } from "../../unit/apiserver/endpoints/support.ts";
import { inAnyOrder, isMergeable, jsonPatchBetween, mergePatchBetween } from "./diff.ts";
import { fitting, runs } from "./objects.ts";
import { type Kind, kind } from "./schemas.ts";

const RUNS = runs(60);

interface Given {
  readonly kind: Kind;
  readonly first: unknown;
  readonly second: unknown;
}

const given: fc.Arbitrary<Given> = kind.chain((made) =>
  fc.record({ kind: fc.constant(made), first: fitting(made.spec), second: fitting(made.spec) }),
);

async function holds(law: (api: TestApi, given: Given) => Promise<void>, cases = given): Promise<void> {
  const property = fc.asyncProperty(cases, async (each) => {
    await using api = await TestApi.open();
    expect((await api.serve(each.kind.crd)).text).toContain('"uid"');
    await law(api, each);
    expect(api.internalErrors).toEqual([]);
  });
  await fc.assert(property, RUNS);
}

const specOf = (body: JsonObject): JsonObject => (isObject(body["spec"]) ? body["spec"] : {});
const versionOf = (body: JsonObject) => (body as KubeObject).metadata.resourceVersion; // an object of the API

/** Object "a" with the first spec, and the result of a server for the second one. */
async function fromAndTo(api: TestApi, { first, second }: Given) {
  const from = await api.post(THINGS, thing("a", { spec: first }));
  const to = await api.post(`${THINGS}?dryRun=All`, thing("b", { spec: second }));
  expect([from.status, to.status]).toEqual([201, 201]);
  return { from: specOf(from.body), to: specOf(to.body), version: versionOf(from.body) };
}

describe("a patch made from a difference", () => {
  test("as a merge patch gives the target, and a second time nothing", () =>
    holds(async (api, each) => {
      const { from, to, version } = await fromAndTo(api, each);
      fc.pre(isMergeable(to));
      const patch = { spec: mergePatchBetween(from, to) };
      const { status, body, text } = await api.patch(MERGE_PATCH, `${THINGS}/a`, patch);
      expect({ status, spec: specOf(body) }).toEqual({ status: 200, spec: to });
      expect(versionOf(body) === version).toBe(equalJson(from, to));
      api.clock.advance(5000);
      expect((await api.patch(MERGE_PATCH, `${THINGS}/a`, patch)).text).toBe(text);
    }));

  test("as a JSON patch gives the target", () =>
    holds(async (api, each) => {
      const { from, to, version } = await fromAndTo(api, each);
      const patch = jsonPatchBetween(from, to, "/spec");
      const { status, body } = await api.patch(JSON_PATCH, `${THINGS}/a`, patch);
      expect({ status, spec: specOf(body) }).toEqual({ status: 200, spec: to });
      expect(versionOf(body) === version).toBe(equalJson(from, to));
    }));

  test("as a dry run is answered so, and not kept", () =>
    holds(async (api, each) => {
      const { from, to } = await fromAndTo(api, each);
      const patch = jsonPatchBetween(from, to, "/spec");
      const before = await api.get(`${THINGS}/a`);
      const { body } = await api.patch(JSON_PATCH, `${THINGS}/a?dryRun=All`, patch);
      expect(specOf(body)).toEqual(to);
      expect((await api.get(`${THINGS}/a`)).text).toBe(before.text);
    }));

  test("that fails at its end changes nothing", () =>
    holds(async (api, each) => {
      const { from, to } = await fromAndTo(api, each);
      const patch = [...jsonPatchBetween(from, to, "/spec"), { op: "test", path: "/kind", value: "Other" }];
      const before = await api.get(`${THINGS}/a`);
      expect((await api.patch(JSON_PATCH, `${THINGS}/a`, patch)).status).toBe(422);
      expect((await api.get(`${THINGS}/a`)).text).toBe(before.text);
    }));
});

describe("server-side apply", () => {
  const url = `${THINGS}/a`;
  /** An empty list by keys or values has no field manager, so it leaves no trace in managedFields. */
  const owned = given.filter((each) => !/\[\]/.test(encodeJson([each.first, each.second])));
  const hasDefaults = (each: Given) => encodeJson(each.kind.spec).includes('"default":');
  const first = (api: TestApi, each: Given) => api.apply("ann", url, thing("a", { spec: each.first }));

  test("a second time changes nothing", () =>
    holds(async (api, each) => {
      const once = await first(api, each);
      expect(once.status, once.text).toBe(201);
      api.clock.advance(5000);
      expect(await first(api, each)).toMatchObject({ status: 200, text: once.text });
    }, owned));

  test("without force leaves what another applied, or is refused by his name and changes nothing", () =>
    holds(async (api, each) => {
      fc.pre(!hasDefaults(each)); // an atomic value with defaults differs from the applied one
      const before = await first(api, each);
      const after = await api.apply("bob", url, thing("a", { spec: each.second }));
      api.clock.advance(5000);
      const now = await api.get(url);
      if (after.status === 409) {
        expect(after.body["message"]).toMatch(/conflicts? with "ann"/);
        expect(now.text).toBe(before.text);
        return;
      }
      expect(after.status, after.text).toBe(200);
      const again = await first(api, each); // the order of a set is that of the last apply
      expect(inAnyOrder(again.body["spec"])).toEqual(inAnyOrder(now.body["spec"]));
    }, owned));

  test("with force stays as it was applied", () =>
    holds(async (api, each) => {
      await first(api, each);
      const config = thing("a", { spec: each.second });
      const forced = await api.apply("bob", url, config, "&force=true");
      expect(forced.status, forced.text).toBe(200);
      api.clock.advance(5000);
      expect((await api.apply("bob", url, config)).text).toBe(forced.text);
    }, owned));

  test("of nothing gives back all that was applied", () =>
    holds(async (api, each) => {
      await first(api, each);
      const left = await api.apply("ann", url, thing("a"));
      const fresh = await api.post(`${THINGS}?dryRun=All`, thing("b"));
      expect(left.status, left.text).toBe(200);
      expect(left.body["spec"]).toEqual(fresh.body["spec"]);
    }, owned));

  test("of another configuration leaves what that one alone would have made", () =>
    holds(async (api, each) => {
      fc.pre(!hasDefaults(each)); // defaulted fields stay, because no manager owns them
      fc.pre(!encodeJson(each.second).includes("{}")); // a map that loses its last own key becomes null
      await first(api, each);
      const left = await api.apply("ann", url, thing("a", { spec: each.second }));
      const alone = await api.apply("ann", `${THINGS}/b`, thing("b", { spec: each.second }));
      expect(left.status, left.text).toBe(200);
      expect(left.body["spec"]).toEqual(alone.body["spec"]);
    }, owned));
});
