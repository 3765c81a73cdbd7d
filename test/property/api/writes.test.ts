// Properties of writes and reads through the API, over random kinds and objects: the stored object equals the answer, in
// every media type, and an accepted object is accepted again unchanged.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Document, visit } from "yaml";
import { equalJson, type JsonObject } from "../../../src/apimachinery/json/json.ts";
import { decodeJson } from "../../../src/apimachinery/json/json-decode.ts";
import { createMemoryEngine } from "../../../src/storage/engine.ts";
import { type Answer, TestApi, THINGS, thing } from "../../unit/apiserver/endpoints/support.ts";
import { fitting, nearly, runs } from "./objects.ts";
import { type Kind, kind } from "./schemas.ts";

const RUNS = runs(60);

interface Given {
  readonly kind: Kind;
  readonly spec: unknown;
}

const fit = kind.chain((made) => fitting(made.spec).map((spec): Given => ({ kind: made, spec })));
const near = kind.chain((made) => nearly(made.spec).map((spec): Given => ({ kind: made, spec })));

/** Checks the property on an API that serves the kind. */
async function holds<T extends { kind: Kind }>(
  given: fc.Arbitrary<T>,
  law: (api: TestApi, given: T) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(given, async (each) => {
    await using api = await TestApi.open();
    expect((await api.serve(each.kind.crd)).text).toContain('"uid"');
    await law(api, each);
    expect(api.internalErrors).toEqual([]);
  });
  await fc.assert(property, RUNS);
}

/** The parts that are equal in two objects with the same content. */
function content({ metadata, ...rest }: JsonObject): JsonObject {
  const { managedFields, generation } = metadata as JsonObject;
  return { ...rest, managedFields, generation };
}

const versionOf = ({ body }: Answer): unknown =>
  (body["metadata"] as JsonObject | undefined)?.["resourceVersion"];

describe("an object that fits its schema", () => {
  test("is taken without a warning, and nothing of it is lost", () =>
    holds(fit, async (api, { spec }) => {
      const made = await api.post(`${THINGS}?fieldValidation=Strict`, thing("a", { spec }));
      expect(made).toMatchObject({ status: 201, warnings: [] });
      expect(made.body["spec"]).toMatchObject(spec as object); // every spec is an object
    }));
});

describe("whatever is sent", () => {
  test("is taken, or refused as a client's mistake and not kept", () =>
    holds(near, async (api, { spec }) => {
      const { revision } = api.store;
      const made = await api.post(THINGS, thing("a", { spec }));
      expect([201, 400, 422]).toContain(made.status);
      expect((await api.get(`${THINGS}/a`)).status).toBe(made.status === 201 ? 200 : 404);
      expect(api.store.revision - revision).toBe(made.status === 201 ? 1 : 0);
    }));

  test("is refused by Strict exactly where Warn warns, and Ignore stores the same in silence", () =>
    holds(near, async (api, { spec }) => {
      const strict = await api.post(`${THINGS}?fieldValidation=Strict`, thing("strict", { spec }));
      const warned = await api.post(`${THINGS}?fieldValidation=Warn`, thing("warn", { spec }));
      const ignored = await api.post(`${THINGS}?fieldValidation=Ignore`, thing("ignore", { spec }));
      const unknown = warned.warnings.filter((text) => text.startsWith("unknown field"));
      expect(ignored.warnings).toEqual([]);
      expect(ignored.status).toBe(warned.status);
      if (unknown.length > 0) expect(strict.status).toBe(400);
      else expect(strict.status).toBe(warned.status);
      if (warned.status === 201) expect(content(ignored.body)).toEqual(content(warned.body));
      for (const text of unknown) expect(String(strict.body["message"])).toContain(text);
    }));

  test("is answered by a dry run as by the write, and not kept", () =>
    holds(near, async (api, { spec }) => {
      const { revision } = api.store;
      const dry = await api.post(`${THINGS}?dryRun=All`, thing("a", { spec }));
      expect(api.store.revision).toBe(revision);
      const made = await api.post(THINGS, thing("a", { spec }));
      expect({ status: dry.status, warnings: dry.warnings }).toEqual({
        status: made.status,
        warnings: made.warnings,
      });
      if (made.status === 201) expect(content(dry.body)).toEqual(content(made.body));
      else expect(dry.body).toEqual(made.body);
    }));

  test("is the same from YAML as from JSON", () =>
    holds(near, async (api, { spec }) => {
      const made = await api.post(THINGS, thing("a", { spec }));
      await api.send("DELETE", `${THINGS}/a`);
      const again = await api.post(THINGS, yamlOf(thing("a", { spec })), {
        "content-type": "application/yaml",
      });
      expect(again.status, again.text).toBe(made.status);
      if (made.status === 201) expect(content(again.body)).toEqual(content(made.body));
    }));
});

/** YAML 1.1, in which Go nevertheless reads 0o7 as a number. */
function yamlOf(object: JsonObject): string {
  const document = new Document(object, { version: "1.1", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && node.value.startsWith("0o")) node.type = "QUOTE_DOUBLE";
    },
  });
  return String(document);
}

describe("what was answered", () => {
  const made = (api: TestApi, { spec }: Given): Promise<Answer> => api.post(THINGS, thing("a", { spec }));

  test("is what every way of reading shows", () =>
    holds(near, async (api, given) => {
      const watch = await api.watch(`${THINGS}?watch=true`);
      const { status, text, body } = await made(api, given);
      fc.pre(status === 201);
      expect((await api.get(`${THINGS}/a`)).text).toBe(text);
      expect((await api.get(THINGS)).body["items"]).toEqual([body]);
      expect(await watch.settled()).toEqual([{ type: "ADDED", object: body }]);
      await watch.close();
      const indented = await api.get(`${THINGS}/a`, { "user-agent": "curl/8" });
      expect(decodeJson(indented.text).value).toEqual(body);
    }));

  test("is what a server shows that has been started again", async () => {
    const property = fc.asyncProperty(near, async (given) => {
      const engine = createMemoryEngine();
      const api = await TestApi.open({ engine });
      await api.serve(given.kind.crd);
      const { status, text } = await made(api, given);
      fc.pre(status === 201);
      await api[Symbol.asyncDispose]();
      await using again = await TestApi.open({ engine });
      expect((await again.get(`${THINGS}/a`)).text).toBe(text);
    });
    await fc.assert(property, RUNS);
  });

  test("changes nothing when it is sent back", () =>
    holds(near, async (api, given) => {
      const { status, body, text } = await made(api, given);
      fc.pre(status === 201);
      api.clock.advance(5000);
      const again = await api.put(`${THINGS}/a?fieldValidation=Strict`, body);
      expect(again).toMatchObject({ status: 200, text });
    }));

  test("makes an object of the same content: defaulting and pruning twice is doing so once", () =>
    holds(near, async (api, given) => {
      const { status, body } = await made(api, given);
      fc.pre(status === 201);
      const metadata = { name: "b" };
      const again = await api.post(`${THINGS}?fieldValidation=Strict`, { ...body, metadata });
      expect(again.status, again.text).toBe(201);
      const { managedFields: _, ...first } = content(body);
      const { managedFields: __, ...second } = content(again.body);
      expect(second).toEqual(first); // defaulted values get a field manager when they are sent
    }));
});

describe("metadata.generation", () => {
  type Step = { readonly to: "object" | "status"; readonly spec: unknown; readonly label: string };
  const story = kind.chain((made) =>
    fc
      .array(
        fc.record({
          to: fc.constantFrom("object" as const, "status" as const),
          spec: fitting(made.spec),
          label: fc.constantFrom("one", "two"),
        }),
        { minLength: 1, maxLength: 5 },
      )
      .map((steps: Step[]) => ({ kind: made, steps })),
  );

  test("rises by one with every change outside metadata and status, and with nothing else", () =>
    holds(story, async (api, { kind: { hasStatus }, steps }) => {
      let before = await api.post(THINGS, thing("a", { spec: {} }));
      fc.pre(before.status === 201);
      for (const { to, spec, label } of steps) {
        const ends = to === "status" && hasStatus ? "/status" : "";
        const metadata = { ...(before.body["metadata"] as JsonObject), labels: { label } };
        const status = { phase: label, count: 1 };
        const after = await api.put(`${THINGS}/a${ends}`, { ...before.body, metadata, spec, status });
        expect(after.status, after.text).toBe(200);
        const changed = ["spec", ...(hasStatus ? [] : ["status"])].some(
          (name) => !equalJson(before.body[name], after.body[name]),
        );
        const generation = ({ body }: Answer) => Number((body["metadata"] as JsonObject)["generation"]);
        expect(generation(after) - generation(before)).toBe(changed ? 1 : 0);
        if (changed) expect(versionOf(after)).not.toBe(versionOf(before));
        before = after;
      }
    }));
});
