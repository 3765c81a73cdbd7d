// Schemas and objects that are expensive to validate: other clients are answered meanwhile, and a server with a small heap
// survives all.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EgretProcess, startEgret } from "../../support/egret-process.ts";
import { gaugeStall } from "./stall-gauge.ts";

/** The goal is 250 ms; the machine of a test may be busy with others. The defects held them for 3,000 to 20,000. */
const GET_MS_MAX = 2500;

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, make: (index: number) => unknown): object =>
  Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]));

interface Case {
  readonly plural: string;
  /** The schema of spec. */
  readonly spec: object;
  /** A spec, what it is answered with, and what that says. */
  readonly given: object;
  readonly status: number;
  readonly says?: string;
}

const CASES: readonly Case[] = [
  {
    plural: "defaults",
    spec: { type: "object", properties: named(12_000, () => ({ type: "string", default: "x" })) },
    given: {},
    status: 201,
  },
  {
    plural: "exclusives",
    spec: {
      type: "object",
      properties: {
        list: {
          type: "array",
          items: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            oneOf: many(3000, (index) => ({ required: [`k${index}`] })),
          },
        },
      },
    },
    given: { list: many(2000, (index) => (index === 1000 ? { other: 1 } : { [`k${index}`]: 1 })) },
    status: 422,
    says: '\\"spec.list[1000]\\" must validate one and only one schema (oneOf). Found none valid',
  },
  {
    plural: "patterns",
    spec: {
      type: "object",
      properties: {
        text: { type: "string", anyOf: many(5000, (index) => ({ pattern: `^[a-z]+[0-9]*x${index}$` })) },
      },
    },
    given: { text: "abc".repeat(300) },
    status: 422,
    says: '\\"spec.text\\" must validate at least one schema (anyOf)',
  },
  {
    plural: "alternations",
    spec: {
      type: "object",
      properties: { text: { type: "string", pattern: many(40_000, (index) => `w${index}x`).join("|") } },
    },
    given: { text: "w1".repeat(1000) },
    status: 422,
    says: "spec.text in body should match",
  },
  {
    plural: "rules",
    spec: {
      type: "object",
      properties: named(2000, () => ({
        type: "string",
        maxLength: 10,
        "x-kubernetes-validations": [{ rule: "self.size() < 5 && self.matches('^a+$')", message: "no" }],
      })),
    },
    given: named(2000, () => "aaa"),
    status: 201,
  },
  {
    plural: "dears",
    spec: {
      type: "object",
      properties: { list: { type: "array", maxItems: 1000, items: { type: "integer" } } },
      "x-kubernetes-validations": [{ rule: "self.list.all(a, self.list.all(b, a + b > 0))", message: "no" }],
    },
    given: { list: many(1000, (index) => index + 1) },
    status: 422,
    says: "call cost exceeds limit",
  },
];

const definition = ({ plural, spec }: Case): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.stalls.test` },
  spec: {
    group: "stalls.test",
    scope: "Cluster",
    names: { plural, kind: `K${plural}` },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      },
    ],
  },
});

let egret: EgretProcess;

beforeAll(async () => {
  egret = await startEgret(["--in-memory", "--kubeconfig="], {
    env: { NODE_OPTIONS: "--max-old-space-size=384" },
  });
});
afterAll(async () => await egret?.stop("SIGKILL"));

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function post(path: string, object: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(egret.url + path, { method: "POST", headers, body: JSON.stringify(object) });
  return { status: answer.status, text: await answer.text() };
}

async function served(path: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await fetch(egret.url + path);
    await answer.arrayBuffer();
    if (answer.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`${path} is not served`);
}

const gauge = <T>(work: () => Promise<T>) => gaugeStall(`${egret.url}/api/v1/namespaces/default`, work);

describe("others do not wait for", () => {
  test.each(CASES)("$plural", async (one) => {
    const path = `/apis/stalls.test/v1/${one.plural}`;
    const crd = await gauge(() =>
      post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(one)),
    );
    expect(crd.result.status, crd.result.text.slice(0, 1000)).toBe(201);
    await served(path);
    const body = {
      apiVersion: "stalls.test/v1",
      kind: `K${one.plural}`,
      metadata: { name: "x" },
      spec: one.given,
    };
    const object = await gauge(() => post(path, body));
    expect(object.result.status, object.result.text.slice(0, 1000)).toBe(one.status);
    expect(object.result.text.slice(0, 3000)).toContain(one.says ?? "");
    expect(Math.max(crd.longestGetMs, object.longestGetMs)).toBeLessThan(GET_MS_MAX);
  });
});
