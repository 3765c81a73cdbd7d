// A store migrates from a folder into an etcd and back: the served objects stay equal.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runEgret, startEgret } from "../../support/egret-process.ts";
import { Etcd, etcdProblem } from "../../support/etcd.ts";

const problem = etcdProblem();
const SERVICE = { apiVersion: "v1", kind: "Service", metadata: { name: "web" } };
const EGRESS_IP = { apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: "web" } };

describe.skipIf(problem !== undefined)(
  `egret migrate${problem === undefined ? "" : ` (left out: ${problem})`}`,
  () => {
    let etcd: Etcd;
    let folder = "";
    beforeEach(async () => {
      etcd = await Etcd.start();
      folder = await mkdtemp(join(tmpdir(), "egret-migrate-"));
    });
    afterEach(async () => {
      await etcd?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const here = () =>
      [`level:${join(folder, "a")}`, `etcd://${etcd.endpoint}`, `level:${join(folder, "b")}`] as const;

    /** What a server on that store serves, without the revisions. */
    async function servedFrom(
      place: string,
      first: (url: string) => Promise<void> = async () => {},
    ): Promise<string> {
      const server = await startEgret([`--store=${place}`, "--kubeconfig=", "--controllers="]);
      try {
        await first(server.url);
        const answer = await fetch(`${server.url}/egret/v1/state`);
        expect(answer.status).toBe(200);
        // The other objects are created again at each start, or record the elected leader.
        const lines = (await answer.text()).trimEnd().split("\n");
        const given = lines.filter((line) => ["Service", "EgressIP"].includes(JSON.parse(line).kind));
        expect(given.length).toBeGreaterThan(1);
        return given.join("\n").replace(/"resourceVersion":"\d+"/g, '"resourceVersion":""');
      } finally {
        await server.stop();
      }
    }

    async function fill(url: string): Promise<void> {
      const post = async (path: string, body: object) => {
        const headers = { "content-type": "application/json" };
        const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
        expect(answer.status).toBe(201);
      };
      await post("/api/v1/namespaces/default/services", {
        ...SERVICE,
        spec: { type: "NodePort", ports: [{ port: 80 }] },
      });
      await post("/apis/k8s.ovn.org/v1/egressips", {
        ...EGRESS_IP,
        spec: { egressIPs: ["192.168.126.101"], namespaceSelector: {} },
      });
    }

    test("there and back", async () => {
      const [first, second, third] = here();
      const before = await servedFrom(first, fill);
      const there = await runEgret(["migrate", `--from=${first}`, `--to=${second}`]);
      expect(there).toMatchObject({ code: 0, stderr: "" });
      expect(there.stdout).toMatch(/^etcd:\S+ holds the same \d+ keys; resource versions are new\n$/);
      expect(await servedFrom(second)).toBe(before);
      expect(await runEgret(["migrate", `--from=${second}`, `--to=${third}`])).toMatchObject({ code: 0 });
      expect(await servedFrom(third)).toBe(before);
    });

    test("into a store that holds something is refused, and so is half a command", async () => {
      const [first, second] = here();
      await etcd.put("/registry/configmaps/default/a", Buffer.from('{"kind":"ConfigMap","apiVersion":"v1"}'));
      const onto = await runEgret(["migrate", `--from=${first}`, `--to=${second}`]);
      expect([onto.code, onto.stderr]).toEqual([1, expect.stringContaining("holds something already")]);
      const half = await runEgret(["migrate", `--from=${first}`]);
      expect([half.code, half.stderr]).toEqual([1, expect.stringContaining("say from where and to where")]);
      const other = await runEgret(["migrate", `--from=${first}`, "--to=somewhere"]);
      expect(other.stderr).toContain("somewhere is none of level:DIR");
    });
  },
);
