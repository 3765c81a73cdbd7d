// Run with --expose-gc: starts two hundred servers in this process and prints the memory that remains in use, as JSON.
import { request } from "node:http";
import { startEgret } from "egret-apiserver/testing";

/** Decoded objects are held up to a size, and half of them goes then: in one of so many rounds it does. */
const ROUNDS = 4;
const SERVERS_PER_ROUND = 50;
const WRITES = 50;
/** The first servers also compile the code; what V8 keeps of that is not theirs. */
const WARM_UP = 40;
const SETTLED_MS_MAX = 5000;
const NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {k8s.ovn.org/egress-assignable: ''}}\n";

/** On a connection of its own: fetch keeps one for each server. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    asked.on("error", reject);
    asked.end();
  });
}

async function lives(count: number): Promise<string[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => startEgret({ objects: NODE })));
  await Promise.all(
    servers.map(async ({ client, url }) => {
      for (let n = 0; n < WRITES; n++) {
        const metadata = { name: `map-${n}` };
        await client.create({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { n: String(n) } });
      }
      const status = await statusOf(`${url}/api/v1/configmaps`);
      if (status !== 200) throw new Error(`${url} answered ${status}`);
    }),
  );
  await Promise.all(servers.map((server) => server.close()));
  return servers.map(({ url }) => url);
}

async function usedBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("run it with --expose-gc");
  for (let round = 0; round < 5; round++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What keeps the process alive but its output, which is a pipe; files that are being read get time to end. */
async function resourcesLeft(): Promise<string[]> {
  const left = () => process.getActiveResourcesInfo().filter((name) => !name.startsWith("Pipe"));
  const end = performance.now() + SETTLED_MS_MAX;
  while (left().length > 0 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return left();
}

const listenerCount = (): number =>
  process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);

await lives(WARM_UP);
const listenersBefore = listenerCount();
const urls: string[] = [];
const used = [await usedBytes()];
for (let round = 0; round < ROUNDS; round++) {
  urls.push(...(await lives(SERVERS_PER_ROUND)));
  used.push(await usedBytes());
}
// What servers leave behind comes with every round; a table that grew or code that was compiled again comes once.
const growth = Math.min(...used.slice(1).map((bytes, n) => bytes / (used[n] ?? 0)));
const resources = await resourcesLeft();
const answering = await Promise.all(urls.map((url) => statusOf(url).catch(() => 0)));
const left = {
  growth,
  resources,
  answering: answering.filter((status) => status !== 0).length,
  differentPorts: new Set(urls).size,
  listeners: listenerCount() - listenersBefore,
};
process.stdout.write(`${JSON.stringify(left)}\n`);
