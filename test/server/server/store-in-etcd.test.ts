// A server on an etcd in which a real kube-apiserver has left objects: it serves them as that one did.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type Server } from "../../../src/server/server.ts";
import { Etcd, etcdProblem } from "../../support/etcd.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";
import { RECORDED } from "../../unit/apiserver/layout/recorded.ts";

const problem = etcdProblem();
const { inMemory: _, ...SERVER } = MEMORY_SERVER;

const ENCRYPTION = `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [configmaps]
    providers:
      - aescbc: { keys: [{ name: k1, secret: ${Buffer.alloc(32, 1).toString("base64")} }] }
      - identity: {}
`;

interface Served {
  readonly metadata: { readonly resourceVersion: string };
}

describe.skipIf(problem !== undefined)(
  `what stands in etcd${problem === undefined ? "" : ` (left out: ${problem})`}`,
  () => {
    let etcd: Etcd;
    let server: Server;

    beforeAll(async () => {
      etcd = await Etcd.start();
      for (const { key, value } of RECORDED) await etcd.put(key, value);
      server = await createServer({ ...SERVER, store: `etcd://${etcd.endpoint}` });
    });

    afterAll(async () => {
      await server?.close();
      await etcd?.stop();
    });

    test.each(RECORDED)("$key is served as it was", async ({ path, object }) => {
      const answer = await fetch(server.url + path);
      const { metadata, ...served } = (await answer.json()) as typeof object;
      const { metadata: recorded, ...expected } = object;
      expect(answer.status).toBe(200);
      expect(served).toEqual(expected);
      // The revision is that of this etcd.
      expect({ ...metadata, resourceVersion: "" }).toEqual({ ...recorded, resourceVersion: "" });
      expect(Number(metadata.resourceVersion)).toBeGreaterThan(1);
    });

    test("an object that is written again without a change is left as it is", async () => {
      const [{ path, object } = { path: "", object: {} }] = RECORDED.filter(({ key }) =>
        key.includes("/configmaps/"),
      );
      const before = (await (await fetch(server.url + path)).json()) as typeof object;
      const headers = { "content-type": "application/json" };
      const answer = await fetch(server.url + path, { method: "PUT", headers, body: JSON.stringify(before) });
      expect(await answer.json()).toEqual(before);
    });

    test.each([
      ["json", "k8s\0", false],
      ["plain", "k8s:enc:aescbc:v1:k1:", true],
    ])(
      "what stands there as %s is put right by a write without a change, once",
      async (name, form, encrypted) => {
        const encryptionProviderConfig = join(etcd.folder, "encryption.yaml");
        await writeFile(encryptionProviderConfig, ENCRYPTION);
        await using other = await createServer({
          ...{ ...SERVER, store: `etcd://${etcd.endpoint}` },
          ...(encrypted ? { encryptionProviderConfig } : {}),
        });
        const metadata = { name, namespace: "default", uid: "u1" };
        const object = { kind: "ConfigMap", apiVersion: "v1", metadata, data: { a: "1" } };
        const key = `/registry/configmaps/default/${name}`;
        await etcd.put(key, Buffer.from(JSON.stringify(object)));
        const path = `${other.url}/api/v1/namespaces/default/configmaps/${name}`;
        const before = (await (await fetch(path)).json()) as Served;
        const write = async () => {
          const headers = { "content-type": "application/json" };
          return (await (
            await fetch(path, { method: "PUT", headers, body: JSON.stringify(object) })
          ).json()) as Served;
        };
        const rewritten = await write();
        const { resourceVersion } = rewritten.metadata;
        expect(resourceVersion).not.toBe(before.metadata.resourceVersion);
        expect(rewritten).toEqual({ ...before, metadata: { ...before.metadata, resourceVersion } });
        expect(String(await etcd.get(key))).toMatch(new RegExp(`^${form}`));
        expect(await write()).toEqual(rewritten);
      },
    );

    test("a prefix of keys is what it is with and without slashes around it", async () => {
      const [recorded] = RECORDED.filter(({ key }) => key.includes("/configmaps/"));
      const { key = "", value = Buffer.alloc(0), path = "", object } = recorded ?? {};
      const keyThere = key.replace("/registry/", "/kubernetes.io/");
      await etcd.put(keyThere, value);
      for (const [index, storePrefix] of ["/kubernetes.io", "kubernetes.io/"].entries()) {
        await using other = await createServer({ ...SERVER, store: `etcd://${etcd.endpoint}`, storePrefix });
        const answer = await fetch(other.url + path);
        const { uid } = object?.metadata ?? {};
        expect((await answer.json()) as typeof object).toMatchObject({ metadata: { uid } });
        const headers = { "content-type": "application/merge-patch+json" };
        const body = JSON.stringify({ data: { [`written${index}`]: "yes" } });
        expect((await fetch(other.url + path, { method: "PATCH", headers, body })).status).toBe(200);
        expect(String(await etcd.get(keyThere))).toContain(`written${index}`);
        expect(await etcd.get(key)).toEqual(value);
      }
    });

    test.each([
      [{ clock: "frozen" }, "a clock that stands still and a seed are for a store that no other server uses"],
      [{ seed: "s" }, "a clock that stands still and a seed are for a store that no other server uses"],
      [{ storePrefix: "//" }, "a prefix of keys must not be empty"],
      [{ etcdCertfile: "cert.pem" }, "--etcd-certfile and --etcd-keyfile belong together"],
      [{ etcdCafile: "/nowhere/ca.pem" }, "no such file"],
    ])("%j refuses the start", async (options, message) => {
      const start = createServer({ ...SERVER, store: `etcd://${etcd.endpoint}`, ...options });
      await expect(start).rejects.toThrow(message);
    });
  },
);
