// The comparison finds a difference and minimizes it; a seed repeats its cases.
import { createServer as createHttpServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../src/server/server.ts";
import type { ConformanceCase } from "../conformance/runner/case-file.ts";
import { Target } from "../conformance/runner/target.ts";
import { MEMORY_SERVER } from "../support/memory-server.ts";
import { compareOn, shrink } from "./compare-servers.ts";
import { drawnCase } from "./draw-case.ts";
import { type ServedKind, servedKinds } from "./served-api.ts";

let own: Server;
let target: Target;
let kinds: ServedKind[];
beforeAll(async () => {
  own = await createServer(MEMORY_SERVER);
  target = new Target(own.url);
  kinds = await servedKinds(target);
});
afterAll(async () => {
  target.close();
  await own.close();
});

const kindOf = (name: string): ServedKind => {
  const found = kinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`${name} is not served`);
  return found;
};

describe("what is drawn", () => {
  test("comes again with its seed, and differs with another", () => {
    const kind = kindOf("Deployment");
    expect(drawnCase(kind, 7)).toEqual(drawnCase(kind, 7));
    expect(
      new Set(Array.from({ length: 20 }, (_, seed) => JSON.stringify(drawnCase(kind, seed)))).size,
    ).toBeGreaterThan(15);
  });

  test("covers each kind that has a schema, and every verb that changes something", () => {
    expect(kinds.filter(({ schema }) => schema === undefined).map(({ kind }) => kind)).toEqual([]);
    const cases = kinds.flatMap((kind) => Array.from({ length: 10 }, (_, seed) => drawnCase(kind, seed)));
    const methods = new Set(cases.flatMap(({ steps }) => steps.map(({ do: call }) => call?.method)));
    expect([...methods].sort()).toEqual(["DELETE", "GET", "PATCH", "POST", "PUT"]);
  });

  test("is refused sometimes and taken sometimes", async () => {
    const kind = kindOf("ConfigMap");
    const outcomes = new Set<number | undefined>();
    for (let seed = 0; seed < 20; seed++) {
      const { recorded } = await compareOn(drawnCase(kind, seed), target, target);
      outcomes.add(recorded.steps[0]?.expect?.status);
    }
    expect(outcomes.size).toBeGreaterThan(1);
  });
});

describe("a server that lies about one thing", () => {
  /** Forwards to Egret, but answers 500 where a body contains a certain word. */
  const liar = createHttpServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      if (body.includes('"secret"')) answer.writeHead(500).end("{}");
      else {
        const { method, url, headers } = incoming;
        const sent = request(
          own.url + url,
          { method, headers: { ...headers, host: "127.0.0.1" } },
          (back) => {
            answer.writeHead(back.statusCode ?? 500, back.headers);
            back.pipe(answer);
          },
        );
        sent.end(body);
      }
    });
  });
  let lied: Target;
  beforeAll(async () => {
    await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
    lied = new Target(`http://127.0.0.1:${(liar.address() as AddressInfo).port}`);
  });
  afterAll(() => {
    lied.close();
    liar.close();
    liar.closeAllConnections();
  });

  test("is found, with the smallest case that shows it", async () => {
    const path = "/api/v1/namespaces/{{ns}}/configmaps";
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "f", labels: { a: "b" } } };
    const found: ConformanceCase = {
      name: "found",
      namespace: true,
      steps: [
        { do: { method: "POST", path, body: object } },
        { do: { method: "PUT", path: `${path}/f`, body: { ...object, data: { x: "y", kept: "secret" } } } },
        { do: { method: "GET", path: `${path}/f` } },
      ],
    };
    const differs = async (testCase: ConformanceCase) =>
      !(await compareOn(testCase, target, lied)).outcome.equal;
    expect(await differs(found)).toBe(true);
    const smallest = await shrink(found, differs);
    expect(smallest.steps).toEqual([
      { do: { method: "PUT", path: `${path}/f`, body: { data: { kept: "secret" } } } },
    ]);
    const { recorded } = await compareOn(smallest, target, lied);
    expect(recorded.steps[0]?.expect?.status).toBe(500);
  });
});
