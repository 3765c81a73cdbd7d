// Property of large bodies: decoding, field tracking and storing yield to the event loop, and every answer equals that to
// the same body without its trailing blanks.
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeJson } from "../../../src/apimachinery/json/json-encode.ts";
import { isLargeBody } from "../../../src/apiserver/registry/definition/request-context.ts";
import {
  type Answer,
  APPLY_PATCH,
  MERGE_PATCH,
  TestApi,
  THINGS,
  thing,
} from "../../unit/apiserver/endpoints/support.ts";
import { nearly, runs } from "./objects.ts";
import { type Kind, kind } from "./schemas.ts";

const BLANKS = " ".repeat(150_000);

interface Given {
  readonly kind: Kind;
  readonly specs: readonly unknown[];
}

const given: fc.Arbitrary<Given> = kind.chain((made) =>
  fc.record({
    kind: fc.constant(made),
    specs: fc.array(nearly(made.spec), { minLength: 4, maxLength: 4 }),
  }),
);

/** The requests in sequence. */
function requestsOf({ specs: [first, second, third, fourth] }: Given) {
  const json = "application/json";
  const owned = { labels: { a: "1" }, finalizers: ["example.com/f"] };
  return [
    {
      method: "POST",
      url: `${THINGS}?fieldValidation=Strict`,
      type: json,
      body: thing("s", { spec: first }),
    },
    { method: "POST", url: `${THINGS}?dryRun=All`, type: json, body: thing("d", { spec: first }) },
    { method: "POST", url: THINGS, type: json, body: thing("a", { spec: first, odd: 1 }, owned) },
    { method: "POST", url: THINGS, type: json, body: thing("a", { spec: second }) },
    { method: "PUT", url: `${THINGS}/a`, type: json, body: thing("a", { spec: second }, owned) },
    { method: "PATCH", url: `${THINGS}/a`, type: MERGE_PATCH, body: { spec: third } },
    ...["ann", "bob", "ann"].map((manager, index) => ({
      method: "PATCH",
      url: `${THINGS}/a?fieldManager=${manager}&force=${index === 2}`,
      type: APPLY_PATCH,
      body: thing("a", { spec: index === 0 ? third : fourth }),
    })),
  ];
}

async function answers(each: Given, blanks: string): Promise<Partial<Answer>[]> {
  await using api = await TestApi.open();
  expect((await api.serve(each.kind.crd)).text).toContain('"uid"');
  const out: Partial<Answer>[] = [];
  for (const { method, url, type, body } of requestsOf(each)) {
    const bytes = Buffer.from(encodeJson(body) + blanks);
    expect(isLargeBody(bytes)).toBe(blanks !== "");
    const headers = { "content-type": type };
    const { status, text, warnings } = await api.send(method, url, { headers, body: bytes });
    out.push({ status, text, warnings });
  }
  out.push({ text: (await api.get(THINGS)).text });
  expect(api.internalErrors).toEqual([]);
  return out;
}

test("a large body is answered as a small one", async () => {
  const property = fc.asyncProperty(given, async (each) => {
    expect(await answers(each, BLANKS)).toEqual(await answers(each, ""));
  });
  await fc.assert(property, runs(30));
});
