// The headers that name the FlowSchema of a request and its level, as a real kube-apiserver v1.36 was seen to set them.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { eventually } from "../../support/eventually.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";

const FLOW_CONTROL = "/apis/flowcontrol.apiserver.k8s.io/v1";
const PODS = "/api/v1/namespaces/default/pods";

let folder: string;
let server: Server;
/** Names by UID. */
let names: Map<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-flows-"));
  const tokenAuthFile = join(folder, "tokens.csv");
  await writeFile(tokenAuthFile, 'root,admin,1,"system:masters"\nsee,jane,2,""\n');
  server = await createServer({ ...MEMORY_SERVER, tokenAuthFile, secure: false });
  await learnNames();
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const send = (path: string, headers: Record<string, string> = {}, method = "GET", body?: object) =>
  fetch(server.url + path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const as = (token: string, user = "", ...groups: string[]) => ({
  authorization: `Bearer ${token}`,
  ...(user && { "impersonate-user": user }),
  ...(groups.length > 0 && { "impersonate-group": groups.join(",") }),
});

async function learnNames(): Promise<void> {
  names = new Map();
  for (const plural of ["flowschemas", "prioritylevelconfigurations"]) {
    const list = await (await send(`${FLOW_CONTROL}/${plural}`, as("root"))).json();
    const { items } = list as { items: { metadata: { uid: string; name: string } }[] };
    for (const { metadata } of items) names.set(metadata.uid, metadata.name);
  }
}

async function flowOf(path: string, headers: Record<string, string> = {}, method = "GET") {
  const answer = await send(path, headers, method);
  await answer.body?.cancel();
  const [schema, level] = ["flowschema", "prioritylevel"].map((kind) =>
    answer.headers.get(`x-kubernetes-pf-${kind}-uid`),
  );
  return [answer.status, names.get(schema ?? "") ?? schema, names.get(level ?? "") ?? level];
}

const EXEMPT = ["exempt", "exempt"];
const DEFAULT = ["global-default", "global-default"];
const NONE = [null, null];

test.each([
  ["/version", as("root"), 200, EXEMPT],
  ["/version", {}, 200, DEFAULT],
  ["/healthz", {}, 200, ["probes", "exempt"]],
  ["/readyz/ping", {}, 403, ["probes", "exempt"]],
  ["/healthz", as("root"), 200, EXEMPT],
  ["/version", as("wrong"), 401, NONE],
  [PODS, as("see"), 403, DEFAULT],
  [PODS, as("root"), 200, EXEMPT],
  ["/nope", as("root"), 404, EXEMPT],
  [`${PODS}?timeout=x`, as("root"), 400, NONE],
  [`${PODS}?watch=1&timeoutSeconds=1`, as("root"), 200, EXEMPT],
  [`${PODS}/x/exec`, as("root"), 404, NONE],
  [`${PODS}/x/log`, as("root"), 404, NONE],
  [PODS, as("root", "bob"), 403, DEFAULT],
  [PODS, as("see", "bob"), 403, NONE],
  [
    PODS,
    as("root", "system:serviceaccount:kube-system:x"),
    403,
    ["kube-system-service-accounts", "workload-high"],
  ],
  [PODS, as("root", "system:serviceaccount:shop:x"), 403, ["service-accounts", "workload-low"]],
  [PODS, as("root", "system:kube-scheduler"), 200, ["kube-scheduler", "workload-high"]],
  [PODS, as("root", "system:node:a", "system:nodes"), 403, ["system-nodes", "system"]],
  ["/api/v1/nodes/a", as("root", "system:node:a", "system:nodes"), 403, ["system-node-high", "node-high"]],
  [
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a",
    as("root", "system:kube-controller-manager"),
    404,
    ["system-leader-election", "leader-election"],
  ],
])("%s with %o is %i", async (path, headers, status, [schema, level]) => {
  expect(await flowOf(path, headers)).toEqual([status, schema, level]);
});

test("the schemas of a cluster are those of v1.36", async () => {
  const list = await (await send(`${FLOW_CONTROL}/flowschemas`, as("root"))).json();
  const { items } = list as { items: { metadata: { name: string } }[] };
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(
    `catch-all exempt global-default kube-controller-manager kube-scheduler kube-system-service-accounts probes
     service-accounts system-leader-election system-node-high system-nodes`.split(/\s+/),
  );
});

test("schemas that are made, changed and deleted count at once, if their level exists", async () => {
  const spec = (level: string, precedence: number) => ({
    matchingPrecedence: precedence,
    priorityLevelConfiguration: { name: level },
    rules: [
      {
        subjects: [{ kind: "User", user: { name: "jane" } }],
        resourceRules: [{ verbs: ["list"], apiGroups: [""], resources: ["pods"], namespaces: ["default"] }],
      },
    ],
  });
  const path = `${FLOW_CONTROL}/flowschemas`;
  const make = async (name: string, level: string, precedence: number) => {
    const body = { metadata: { name }, spec: spec(level, precedence) };
    expect((await send(path, as("root"), "POST", body)).status).toBe(201);
  };
  await make("dangling", "none", 50);
  await make("janes", "workload-low", 60);
  await learnNames();
  expect(await flowOf(PODS, as("see"))).toEqual([403, "janes", "workload-low"]);
  expect(await flowOf("/api/v1/pods", as("see"))).toEqual([403, ...DEFAULT]);
  expect(await flowOf(`${PODS}/x`, as("see"))).toEqual([403, ...DEFAULT]);
  await send(`${path}/janes`, as("root"), "DELETE");
  await eventually(
    () => flowOf(PODS, as("see")),
    (flow) => flow[1] === "global-default",
  );
});

test("a request without a body that is one too many names its flow", async () => {
  // Each write waits for the disk, so that the requests are in flight together.
  const onDisk = { inMemory: false, dataDir: join(folder, "data"), maxMutatingRequestsInflight: 1 };
  const small = await createServer({ ...MEMORY_SERVER, ...onDisk });
  const path = `${small.url}/api/v1/namespaces/default/configmaps`;
  const paths = Array.from({ length: 40 }, (_, number) => `${path}/c${number}`);
  for (const name of paths.map((each) => each.slice(path.length + 1))) {
    const body = JSON.stringify({ metadata: { name } });
    await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body });
  }
  const answers = await Promise.all(paths.map((each) => fetch(each, { method: "DELETE" })));
  await small.close();
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  const uids = refused.map(({ headers }) => headers.get("x-kubernetes-pf-flowschema-uid"));
  expect(uids.filter((uid) => uid === null)).toEqual([]);
});
