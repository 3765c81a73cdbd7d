// A cluster dump in files: imported into a server, exported from it, and compared with it, through the commands.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { partsOfApiVersion } from "../../src/apimachinery/meta/object-meta.ts";
import { dumpedCluster } from "../support/dump/cluster.ts";
import { gather, resourceOf } from "../support/dump/gathered.ts";
import { type EgretProcess, runEgret, startEgret } from "../support/egret-process.ts";
import { Etcd, etcdProblem } from "../support/etcd.ts";

const objects = dumpedCluster();
let folder: string;
let server: EgretProcess;
const at = (name: string): string => join(folder, name);
const egret = (...words: string[]) => runEgret(words, { env: { EGRET_KUBECONFIG: at("kubeconfig") } });
const NOTHING = { code: 0, stdout: "not compared 1: Secrets are taken with --secrets alone\n" };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-import-"));
  await gather(at("must-gather.local.1"), objects);
  await writeFile(at("dump.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const flags = ["--in-memory", "--clock", "frozen", "--kubeconfig", at("kubeconfig")];
  server = await startEgret([...flags, "--import", at("must-gather.local.1")]);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe("a cluster in files", () => {
  test("is the state of a server that begins with it, also after an hour", async () => {
    expect(await egret("diff", at("must-gather.local.1"))).toMatchObject(NOTHING);
    await egret("clock", "advance", "1h");
    expect(await egret("diff", at("must-gather.local.1"), at("dump.json"))).toMatchObject(NOTHING);
  });

  test.runIf(etcdProblem() === undefined)("and so it is that of a copy of etcd", async () => {
    const etcd = await Etcd.start();
    try {
      for (const object of objects) {
        const { namespace, name = "" } = object.metadata;
        const { resourceVersion: _version, ...metadata } = object.metadata;
        const group = partsOfApiVersion(object.apiVersion)[0];
        const parts = [
          ...(group === "" ? [] : [group]),
          resourceOf(object),
          ...(namespace ? [namespace] : []),
          name,
        ];
        await etcd.put(`/registry/${parts.join("/")}`, Buffer.from(JSON.stringify({ ...object, metadata })));
      }
      expect(await egret("diff", etcd.save("snapshot.db"))).toMatchObject(NOTHING);
      await egret("reset", "--to", "empty");
      expect((await egret("diff", etcd.save("again.db"))).code).toBe(1);
      expect((await egret("import", etcd.save("third.db"))).stdout).toContain(
        `${objects.length - 1} objects imported`,
      );
      expect(await egret("diff", at("dump.json"))).toMatchObject(NOTHING);
      await egret("clock", "advance", "1h");
      expect(await egret("diff", etcd.save("fourth.db"))).toMatchObject(NOTHING);
    } finally {
      await etcd.stop();
    }
  });

  test("goes out as a tree, and in again as the same one", async () => {
    const text = await stateIn("one");
    await egret("reset", "--to", "empty");
    const { code, stdout } = await egret("import", at("one"));
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("objects imported in"),
    });
    expect(await stateIn("two")).toEqual(text);
    expect([...text.keys()]).toContain("namespaces/shop/core/pods/web-5d6f-0.yaml");
  });

  test("is compared with a cluster that is asked itself", async () => {
    expect(await egret("diff", "--from-kubeconfig", at("kubeconfig"))).toMatchObject({ code: 0, stdout: "" });
    const none = await egret("diff", "--from-kubeconfig", at("kubeconfig"), "--from-context", "none");
    expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/^egret: .*none/) });
    const both = await egret("diff", at("dump.json"), "--from-kubeconfig", at("kubeconfig"));
    expect(both.stderr).toBe("egret: read files, or a cluster: not both at once\n");
  });

  test("goes out under other names, the same for the same key, and can be imported", async () => {
    const exported = async (name: string, key: string) => {
      expect((await egret("export", "--anonymise", "--key", key, at(name))).code).toBe(0);
      return readFile(at(name), "utf8");
    };
    const text = await exported("others.yaml", "k");
    expect(await exported("again.yaml", "k")).toBe(text);
    expect(await exported("otherwise.yaml", "l")).not.toBe(text);
    expect(text).not.toMatch(/\b(shop|billing|192\.168\.126\.10[1-4])\b/);
    expect(text).toContain("kind: EgressIP\n");
    const nothing = await egret("export", "--key", "k", at("none.yaml"));
    expect(nothing.stderr).toBe("egret: --key is for --anonymise\n");
  });

  test("shows what has changed since, and what was decided", async () => {
    await writeFile(
      at("new.yaml"),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\n  namespace: shop\n",
    );
    await egret("apply", "-f", at("new.yaml"));
    const moved = (await readFile(at("dump.json"), "utf8")).replace(
      '{"egressIP":"192.168.126.104","node":"worker-4"}',
      '{"egressIP":"192.168.126.104","node":"worker-0"}',
    );
    await writeFile(at("other.json"), moved);
    const { code, stdout } = await egret("diff", at("other.json"));
    expect(code).toBe(1);
    expect(stdout).toContain("+ configmaps shop/new\n");
    expect(stdout).toContain(
      '~ egressips.k8s.ovn.org billing-a\n    status.items[0].node: "worker-0" → "worker-4"\n',
    );
    expect(stdout).toContain("  egressip billing-a: 192.168.126.104 worker-0 → worker-4\n");
    const anew = JSON.parse((await egret("diff", at("dump.json"), "--recompute", "-o", "json")).stdout);
    expect(anew.decisions.moved).toEqual([]);
    expect(anew.anew.moved.map(({ egressIp }: { egressIp: string }) => egressIp)).toContain("odd");
  });
});

/** The files of the state, which is written into a folder of that name. */
async function stateIn(name: string): Promise<Map<string, string>> {
  await egret("export", `${at(name)}/`);
  const files = await readdir(at(name), { recursive: true, withFileTypes: true });
  const texts = new Map<string, string>();
  for (const file of files.filter((one) => one.isFile() && one.name.endsWith(".yaml"))) {
    const path = join(file.parentPath, file.name);
    texts.set(path.slice(at(name).length + 1), await readFile(path, "utf8"));
  }
  return texts;
}
