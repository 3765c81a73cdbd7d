// Values in an etcd that are not the objects of their keys: the server does not serve them, and a repair writes them to a
// file.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runEgret, startEgret } from "../../support/egret-process.ts";
import { Etcd, etcdProblem } from "../../support/etcd.ts";

const problem = etcdProblem();
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const KEY = "/registry/configmaps/default/";

const configMap = (name: unknown) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });

test.skipIf(problem)("are reported, kept from being served, and removed by a repair", async () => {
  const folder = await mkdtemp(join(tmpdir(), "egret-broken-etcd-"));
  const etcd = await Etcd.start();
  const store = `--store=etcd://${etcd.endpoint}`;
  try {
    const values = { garbage: "{", other: configMap("another"), typed: configMap(["typed"]) };
    for (const [name, value] of Object.entries({ ...values, sound: configMap("sound") }))
      await etcd.put(KEY + name, Buffer.from(value));
    const start = () => startEgret([store, "--kubeconfig=", "--controllers="]);
    {
      await using server = await start();
      const { items } = (await (await fetch(server.url + CONFIG_MAPS)).json()) as {
        items: { metadata: { name: string } }[];
      };
      expect(items.map(({ metadata }) => metadata.name)).toEqual(["sound"]);
      for (const name of Object.keys(values))
        expect((await fetch(`${server.url}${CONFIG_MAPS}/${name}`)).status).toBe(500);
      const status = (await (await fetch(`${server.url}/egret/v1/status`)).json()) as { problems: unknown[] };
      expect(status.problems).toHaveLength(3);
      await server.stop();
    }
    const found = await runEgret(["check", store]);
    expect(found.code).toBe(1);
    for (const name of Object.keys(values)) expect(found.stdout).toContain(`WRONG: ${KEY}${name}: `);
    const file = join(folder, "removed.jsonl");
    expect(await runEgret(["check", store, "--repair", file])).toMatchObject({ code: 0 });
    const lines = (await readFile(file, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ key, value }) => [key, Buffer.from(value, "base64").toString()])).toEqual(
      Object.entries(values).map(([name, value]) => [KEY + name, value]),
    );
    expect(await runEgret(["check", store])).toMatchObject({ code: 0 });
    await using server = await start();
    expect((await fetch(`${server.url}${CONFIG_MAPS}/sound`)).status).toBe(200);
    expect((await fetch(`${server.url}${CONFIG_MAPS}/garbage`)).status).toBe(404);
  } finally {
    await etcd.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
