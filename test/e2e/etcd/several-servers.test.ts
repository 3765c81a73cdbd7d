// Several server processes on one etcd: each reads the writes of the others at once, one of them runs the controllers, and
// all of them survive a restart of etcd.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EgretProcess, startEgret } from "../../support/egret-process.ts";
import { Etcd, etcdProblem } from "../../support/etcd.ts";
import { eventually } from "../../support/eventually.ts";
import { allocationOf, NODE_PORTS, portsInEtcd } from "../../support/node-ports-in-etcd.ts";

const problem = etcdProblem();
const ROUNDS = 30;
/** A Lease expires after 15 s and candidates poll it every 2 s; the rest is a margin for shared machines. */
const TAKEN_OVER_MS_MAX = 40_000;
const SERVICES = "/api/v1/namespaces/default/services";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const EGRESS_IPS = "/apis/k8s.ovn.org/v1/egressips";
const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/egret-controller-manager";

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(url: string, method = "GET", body?: object, type = "application/json"): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } };
  const answer = await fetch(url, { method, ...sent });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

const configMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { a: "1" },
});
const node = (name: string, host: number) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    labels: { "k8s.ovn.org/egress-assignable": "" },
    annotations: {
      "k8s.ovn.org/node-primary-ifaddr": JSON.stringify({ ipv4: `192.168.126.${host}/24` }),
      "k8s.ovn.org/host-cidrs": JSON.stringify([`192.168.126.${host}/24`]),
    },
  },
  status: { conditions: [{ type: "Ready", status: "True" }] },
});

const nodesOf = ({ body }: Answer): unknown[] =>
  ((body["status"] as { items?: { node: string }[] } | undefined)?.items ?? []).map((item) => item.node);

describe.skipIf(problem !== undefined)(
  `servers on one etcd${problem === undefined ? "" : ` (left out: ${problem})`}`,
  () => {
    let etcd: Etcd;
    let servers: EgretProcess[] = [];

    beforeAll(async () => {
      etcd = await Etcd.start();
      // All at once, on an etcd that is empty.
      const start = async () => {
        servers.push(await startEgret([`--store=etcd://${etcd.endpoint}`, "--kubeconfig="], {}));
      };
      const starts = await Promise.allSettled([start(), start(), start()]);
      expect(starts.filter(({ status }) => status === "rejected")).toEqual([]);
    });

    afterAll(async () => {
      for (const server of servers) await server[Symbol.asyncDispose]();
      await etcd?.stop();
    });

    const at = (index: number, path: string): string => `${servers[index % servers.length]?.url}${path}`;
    const holder = async (url: string): Promise<string> => {
      const { body } = await ask(`${url}${LEASE}`);
      return (body["spec"] as { holderIdentity: string } | undefined)?.holderIdentity ?? "";
    };
    const webIsOn = (url: string, name: string) =>
      eventually(
        async () => nodesOf(await ask(`${url}${EGRESS_IPS}/web`)),
        (nodes) => nodes.join() === name,
      );

    test("what one has answered another one reads, changes and deletes at once", async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const name = `c${round}`;
        const created = await ask(at(round, CONFIG_MAPS), "POST", configMap(name));
        expect(created.status).toBe(201);
        const read = await ask(at(round + 1, `${CONFIG_MAPS}/${name}`));
        expect(read.body).toEqual(created.body);
        const merge = "application/merge-patch+json";
        const patched = await ask(
          at(round + 2, `${CONFIG_MAPS}/${name}`),
          "PATCH",
          { data: { a: "2" } },
          merge,
        );
        expect((await ask(at(round, `${CONFIG_MAPS}/${name}`))).body).toEqual(patched.body);
        const stale = await ask(at(round + 1, `${CONFIG_MAPS}/${name}`), "PUT", created.body);
        expect([stale.status, stale.body["reason"]]).toEqual([409, "Conflict"]);
        expect((await ask(at(round + 1, `${CONFIG_MAPS}/${name}`), "DELETE")).status).toBe(200);
        expect((await ask(at(round + 2, `${CONFIG_MAPS}/${name}`))).status).toBe(404);
      }
    });

    test("a page that one has begun goes on at another", async () => {
      for (const name of ["p1", "p2", "p3"]) await ask(at(0, CONFIG_MAPS), "POST", configMap(name));
      const first = await ask(at(0, `${CONFIG_MAPS}?limit=2`));
      await ask(at(2, `${CONFIG_MAPS}/p3`), "DELETE");
      const { continue: token } = first.body["metadata"] as { continue: string };
      const second = await ask(at(1, `${CONFIG_MAPS}?limit=2&continue=${token}`));
      const names = [first, second].flatMap(
        ({ body }) => (body["items"] as { metadata: { name: string } }[]) ?? [],
      );
      expect(names.map(({ metadata }) => metadata.name).filter((name) => name.startsWith("p"))).toEqual([
        "p1",
        "p2",
        "p3",
      ]);
      for (const name of ["p1", "p2"]) await ask(at(0, `${CONFIG_MAPS}/${name}`), "DELETE");
    });

    test("addresses of Services that are created everywhere at once differ", async () => {
      const ports = [{ port: 80 }];
      const created = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          ask(at(index, SERVICES), "POST", {
            ...{ apiVersion: "v1", kind: "Service", metadata: { name: `s${index}` } },
            spec: { type: "NodePort", ports },
          }),
        ),
      );
      expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
      const specs = created.map(
        ({ body }) => body["spec"] as { clusterIP: string; ports: { nodePort: number }[] },
      );
      expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(30);
      const nodePorts = specs.map(({ ports: [port] }) => port?.nodePort ?? 0);
      expect(new Set(nodePorts).size).toBe(30);
      // All of them stand where a kube-apiserver looks, and go from there with their Services.
      expect(await portsInEtcd(etcd)).toEqual(nodePorts.sort());
      await ask(at(0, `${SERVICES}/s0`), "DELETE");
      const freed = specs[0]?.ports[0]?.nodePort;
      expect(await portsInEtcd(etcd)).toEqual(nodePorts.filter((port) => port !== freed));
    });

    test("a node port that a kube-apiserver has given out is not given to another Service", async () => {
      const taken = await portsInEtcd(etcd);
      const port = 32_000 - (taken.includes(32_000) ? 1 : 0);
      await etcd.put(NODE_PORTS, allocationOf([...taken, port]));
      const service = (name: string, nodePort: number) => ({
        ...{ apiVersion: "v1", kind: "Service", metadata: { name } },
        spec: { type: "NodePort", ports: [{ port: 80, nodePort }] },
      });
      for (const index of [0, 1, 2]) {
        const refused = await ask(at(index, SERVICES), "POST", service("theirs", port));
        expect([refused.status, refused.body["message"]]).toEqual([
          422,
          `Service "theirs" is invalid: spec.ports[0].nodePort: Invalid value: ${port}: provided port is already allocated`,
        ]);
      }
      await etcd.put(NODE_PORTS, allocationOf(taken));
      expect((await ask(at(1, SERVICES), "POST", service("ours", port))).status).toBe(201);
      expect(await portsInEtcd(etcd)).toEqual([...taken, port].sort());
    });

    test("one of them runs the controllers; when it is held up another one does, and what it began is not written", async () => {
      const web = { apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: "web" } };
      const spec = { egressIPs: ["192.168.126.101"], namespaceSelector: {} };
      await ask(at(0, "/api/v1/nodes"), "POST", node("n1", 11));
      await ask(at(1, EGRESS_IPS), "POST", { ...web, spec });
      await webIsOn(at(2, ""), "n1");

      const leading = await leaderOf(servers);
      const before = await holder(leading.url);
      process.kill(leading.pid, "SIGSTOP");
      try {
        servers = [...servers.filter((server) => server !== leading), leading];
        const others = servers.slice(0, 2);
        const first = others[0]?.url ?? "";
        await eventually(
          () => holder(first),
          (now) => now !== before,
          TAKEN_OVER_MS_MAX,
        );
        await ask(`${first}/api/v1/nodes`, "POST", node("n2", 12));
        await ask(`${first}/api/v1/nodes/n1`, "DELETE");
        await webIsOn(first, "n2");
      } finally {
        process.kill(leading.pid, "SIGCONT");
      }
      // After SIGCONT the former leader serves the same state, reports that it lost the lease, and the new leader's
      // decisions remain.
      await webIsOn(leading.url, "n2");
      await eventually(
        () => ask(`${leading.url}/egret/v1/status`),
        ({ body }) => body["leads"] === false,
        TAKEN_OVER_MS_MAX,
      );
      await webIsOn(at(0, ""), "n2");
      expect(await holder(at(0, ""))).not.toBe(before);
    });

    test("an etcd that was killed and came back loses nothing, and watches go on", async () => {
      const { body } = await ask(at(0, CONFIG_MAPS));
      const { resourceVersion } = body["metadata"] as { resourceVersion: string };
      const cut = new AbortController();
      const watch = await fetch(at(1, `${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion}`), {
        signal: cut.signal,
      });
      const reader = watch.body?.pipeThrough(new TextDecoderStream()).getReader();
      expect((await ask(at(0, CONFIG_MAPS), "POST", configMap("before"))).status).toBe(201);
      const readiness = async () => (await fetch(at(1, "/readyz"))).status;
      expect(await readiness()).toBe(200);
      await etcd.end("SIGKILL");
      await eventually(readiness, (status) => status === 500);
      await etcd.restart();
      await eventually(readiness, (status) => status === 200);
      const created = await ask(at(2, CONFIG_MAPS), "POST", configMap("after"));
      expect(created.status).toBe(201);
      expect((await ask(at(0, `${CONFIG_MAPS}/before`))).status).toBe(200);
      let told = "";
      while (!told.includes('"after"')) told += (await reader?.read())?.value ?? "";
      expect(told.indexOf('"before"')).toBeGreaterThan(0);
      cut.abort();
    });
  },
);

async function leaderOf(servers: readonly EgretProcess[]): Promise<EgretProcess> {
  for (const server of servers) {
    const { body } = await ask(`${server.url}/egret/v1/status`);
    if (body["leads"] === true) return server;
  }
  throw new Error("nobody runs the controllers");
}
