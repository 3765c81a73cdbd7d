// Prints, as JSON, the files of src whose functions run while a server repeats one operation. "write" is a create of an
// EgressIP from the socket to the 201, without controllers. "watch" is an event from its commit to a watcher's socket, and
// the start of that watch. "assignment" is the work of the controllers from that create to the address in the status.
import inspector from "node:inspector/promises";
import process from "node:process";
import { createServer } from "../../src/server/server.ts";

const PATH = "/apis/k8s.ovn.org/v1/egressips";
const SRC = new URL("../../src/", import.meta.url).href;
const [what = "write"] = process.argv.slice(2);

const server = await createServer({
  listen: "127.0.0.1:0",
  inMemory: true,
  kubeconfig: undefined,
  controllers: what === "assignment" ? "egressip" : "",
  logLevel: "silent",
});

async function post(path: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (answer.status !== 201)
    throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

const create = (number: number): Promise<void> =>
  post(PATH, {
    apiVersion: "k8s.ovn.org/v1",
    kind: "EgressIP",
    metadata: { name: `egress-${number}` },
    spec: { egressIPs: [`192.0.2.${number}`], namespaceSelector: {} },
  });

/** Opens a watch, causes an event, and waits until it has arrived. */
async function watch(number: number): Promise<void> {
  const stop = new AbortController();
  const answer = await fetch(`${server.url}${PATH}?watch=true&resourceVersion=0`, { signal: stop.signal });
  await create(number);
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes(`egress-${number}`)) break;
  }
  stop.abort();
}

async function assignment(number: number): Promise<void> {
  await create(number);
  for (;;) {
    const { status } = (await (await fetch(`${server.url}${PATH}/egress-${number}`)).json()) as {
      status?: object;
    };
    if (status !== undefined) return;
  }
}

async function node(name: string): Promise<void> {
  await post("/api/v1/nodes", {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "k8s.ovn.org/egress-assignable": "" },
      annotations: {
        "k8s.ovn.org/node-primary-ifaddr": '{"ipv4":"192.0.2.100/24"}',
        "k8s.ovn.org/host-cidrs": '["192.0.2.100/24"]',
        "k8s.ovn.org/node-subnets": '{"default":["10.128.0.0/23"]}',
      },
    },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
}

const done: Readonly<Record<string, (number: number) => Promise<void>>> = {
  write: create,
  watch,
  assignment,
};
const doIt = done[what];
if (doIt === undefined) throw new Error(`there is no ${what}`);
if (what === "assignment") await node("node-a");
await doIt(1);

const session = new inspector.Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await doIt(2);
const { result } = await session.post("Profiler.takePreciseCoverage");
session.disconnect();
const files = result
  .filter(({ url }) => url.startsWith(SRC))
  .filter(({ functions }) =>
    functions.some(
      ({ functionName, ranges }) => functionName !== "" && ranges.some(({ count }) => count > 0),
    ),
  )
  .map(({ url }) => `src/${url.slice(SRC.length)}`);
console.log(JSON.stringify(files.sort()));
await server.close();
