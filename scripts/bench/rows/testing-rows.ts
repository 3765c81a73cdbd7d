// The testing API, in this process as in a test: the time to start a server, and to reset it. The first start also loads
// the code and does not count.
import type { startEgret as start } from "egret-apiserver/testing";
import { median } from "../measure.ts";
import { builtModule } from "../own-server.ts";
import type { Bench } from "../plan.ts";
import type { Row } from "../report/row.ts";

const STARTS_PER_ROUND = 3;
const RESETS_PER_ROUND = 5;

export async function testingRows({ plan }: Bench): Promise<Row[]> {
  const { startEgret }: { startEgret: typeof start } = await import(builtModule("testing.js"));
  const objects = plan.quick ? 100 : 1000;
  const starts: number[] = [];
  const resets: number[] = [];
  await (await startEgret()).close();
  for (let n = 0; n < (plan.quick ? 3 : plan.rounds * STARTS_PER_ROUND); n++) {
    starts.push(await msOf(startEgret, (server) => server.close()));
  }
  const server = await startEgret({ controllers: [] });
  try {
    for (let n = 0; n < (plan.quick ? 1 : plan.rounds * RESETS_PER_ROUND); n++) {
      const names = Array.from({ length: objects }, (_, index) => `map-${index}`);
      await Promise.all(
        names.map((name) =>
          server.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { name } }),
        ),
      );
      resets.push(await msOf(() => server.reset()));
    }
  } finally {
    await server.close();
  }
  return [
    {
      id: "testing/start",
      operation: "startEgret() in a test",
      value: median(starts),
      unit: "ms",
    },
    {
      id: `testing/reset/${objects}`,
      operation: `reset() of ${objects.toLocaleString("en")} objects`,
      value: median(resets),
      unit: "ms",
    },
  ];
}

async function msOf<T>(work: () => Promise<T>, after: (done: T) => unknown = () => {}): Promise<number> {
  const from = performance.now();
  const done = await work();
  const took = performance.now() - from;
  await after(done);
  return took;
}
