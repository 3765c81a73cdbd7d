// Every load generator sends the same requests, and a rejected request ends the benchmark.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { createLoad, patchLoad } from "../../scripts/bench/client/egress-ips.ts";
import { requestBytes } from "../../scripts/bench/client/http-connection.ts";
import { plainAccess, type ServerAccess } from "../../scripts/bench/client/server-access.ts";
import { GENERATORS, Generator } from "../../scripts/bench/load/generator.ts";
import { filledIn } from "../../scripts/bench/load/requests.ts";
import { hasWrk } from "../../scripts/bench/load/wrk.ts";
import { compare } from "../../scripts/bench/measure.ts";
import { metered } from "../../scripts/bench/process-time.ts";

const SHORT = { connections: 3, limits: { msMax: 300, countMax: 60 } };

async function withServer<T>(answer: RequestListener, use: (access: ServerAccess) => Promise<T>): Promise<T> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use(plainAccess(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("an object has the number in its name and in its address, and each address is its own", () => {
  const create = filledIn({ text: createLoad() });
  const objects = [0, 149, 150, 3_374_999].map((number) =>
    JSON.parse(create(number).split("\r\n\r\n")[1] ?? ""),
  );
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(
    ["00000000", "00000149", "00000150", "03374999"].map((digits) => `bench-${digits}`),
  );
  expect(objects.map(({ spec }) => spec.egressIPs[0])).toEqual([
    "10.100.100.100",
    "10.100.100.249",
    "10.100.101.100",
    "10.249.249.249",
  ]);
  expect(() => filledIn({ text: "GET /{{nobody}}" })).toThrow("there is no mark {{nobody}}");
});

describe.each(GENERATORS)("%s", (name) => {
  const given = test.skipIf(name === "wrk" && !hasWrk());

  given("sends each number once, in whole requests, and knows which one is next", async () => {
    const seen: string[] = [];
    const listen: RequestListener = async (request, reply) => {
      seen.push(`${request.method} ${request.url} ${await text(request)}`);
      reply.end("{}");
    };
    const first = 1005;
    const loaded = await withServer(listen, (access) =>
      Generator.find(name).load(access, { text: patchLoad(), first, names: 10 }, SHORT),
    );
    const { sample, next } = loaded;
    expect(sample.count).toBeGreaterThan(0);
    expect(sample.delaysMs.every((ms) => ms > 0)).toBe(true);
    const wanted = Array.from({ length: next - first }, (_, at) => {
      const [head = "", body] = filledIn({ text: patchLoad(), names: 10 })(first + at).split("\r\n\r\n");
      return `${/^PATCH \S+/.exec(head)?.[0]} ${body}`;
    });
    expect(wanted).toEqual(expect.arrayContaining(seen));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(sample.count);
  });

  given("fails when a request is refused", async () => {
    let count = 0;
    const listen: RequestListener = (_request, reply) => {
      reply.statusCode = ++count % 3 === 0 ? 409 : 200;
      reply.end("{}");
    };
    await withServer(listen, async (access) => {
      const load = Generator.find(name).load(access, { text: requestBytes("GET", "/") }, SHORT);
      await expect(load).rejects.toThrow(/409|refusals/);
    });
  });
});

test("what is no generator is told", () => {
  expect(() => Generator.find("ab")).toThrow("there is no generator ab, but wrk and node");
});

test("the processor time of a server is that of its process, for each answer", async () => {
  const sample = { count: 4, elapsedMs: 100, delaysMs: [1] };
  const busy = async () => {
    const until = process.cpuUsage().user + 100_000;
    while (process.cpuUsage().user < until);
    return sample;
  };
  const {
    cpuUs = 0,
    busy: share = 0,
    rawCpuUs,
  } = await compare(
    { rounds: 1, alone: false },
    () => metered(process.pid, busy),
    async () => sample,
  );
  expect(cpuUs).toBeGreaterThan(15_000); // 100 ms for four
  expect(share).toBeGreaterThan(0.5);
  expect(rawCpuUs).toBeUndefined();
});
