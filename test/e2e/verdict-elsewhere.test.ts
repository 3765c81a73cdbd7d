// Verdicts about a cluster that is not Egret, by lists alone, and about files. Another Egret with TLS and RBAC plays the
// cluster: its reader holds the role that `egret explain --rbac` prints, and nothing more.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type EgretProcess, runEgret, startEgret } from "../support/egret-process.ts";

const MANIFESTS = new URL("manifests/", import.meta.url).pathname;
const [NODES, SHOP] = [join(MANIFESTS, "nodes.yaml"), join(MANIFESTS, "shop.yaml")];

let folder: string;
let admin: string;
let reader: string;
let server: EgretProcess;
const as = (kubeconfig: string, ...words: string[]) =>
  runEgret(words, { env: { EGRET_KUBECONFIG: kubeconfig } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-elsewhere-"));
  [admin, reader] = [join(folder, "admin"), join(folder, "reader")];
  const tokens = join(folder, "tokens.csv");
  await writeFile(tokens, "token-of-reader,reader,\n");
  server = await startEgret(["--in-memory", "--secure", "--token-auth-file", tokens, "--kubeconfig", admin]);
  await writeFile(reader, (await readFile(admin, "utf8")).replace(/token: .*/, "token: token-of-reader"));
  const role = (await as(admin, "explain", "--rbac")).stdout;
  const binding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: parse(role).metadata.name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
  };
  const rights = join(folder, "rights.yaml");
  await writeFile(rights, `${role}---\n${JSON.stringify(binding)}\n`);
  const applied = await as(admin, "apply", "--status", "-f", rights, "-f", NODES, "-f", SHOP);
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  await as(admin, "clock", "settle");
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe("by lists alone", () => {
  const QUESTIONS = [
    ["explain", "egressip", "shop"],
    ["explain", "node", "node-a"],
    ["explain", "pod", "web", "-n", "shop"],
    ["trace", "pod/shop/web", "--to", "8.8.8.8:443"],
    ["trace", "pod/shop/web", "--to", "9.9.9.9", "-o", "json"],
  ];

  test.each(QUESTIONS.map((words) => ({ words })))(
    "$words is answered as Egret itself answers",
    async ({ words }) => {
      const [theirs, own] = [await as(reader, ...words), await as(admin, ...words)];
      expect(theirs).toEqual(own);
      expect(own.code).toBe(0);
    },
  );

  test("nothing is written, and nothing but lists is asked of the API", async () => {
    await as(admin, "requests", "--clear");
    expect((await as(reader, "explain", "egressip", "shop")).code).toBe(0);
    const { items } = JSON.parse((await as(admin, "requests", "--user", "reader", "-o", "json")).stdout);
    const verbs = items.filter(({ path }: { path: string }) => !path.startsWith("/egret/"));
    expect(new Set(verbs.map(({ verb }: { verb: string }) => verb))).toEqual(new Set(["list"]));
  });

  test("what is not there is said", async () => {
    expect(await as(reader, "explain", "egressip", "nobody")).toMatchObject({
      code: 1,
      stderr: 'egret: egressips.k8s.ovn.org "nobody" not found\n',
    });
    expect((await as(reader, "trace", "pod/shop/web", "--to", "www.example.com")).stderr).toMatch(
      /--resolve/,
    );
  });

  test("who may not even list is refused", async () => {
    const nobody = join(folder, "nobody");
    await writeFile(nobody, (await readFile(admin, "utf8")).replace(/token: .*/, "token: wrong"));
    expect(await as(nobody, "explain", "egressip", "shop")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^egret: Unauthorized/),
    });
  });
});

describe("of files", () => {
  test("manifests are explained as they stand", async () => {
    const { code, stdout } = await runEgret([
      "explain",
      "egressip",
      "shop",
      "--from",
      NODES,
      "--from",
      SHOP,
      "-o",
      "json",
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).addresses).toMatchObject([
      { address: "192.168.126.101", reasons: [{ row: 3 }] },
      { address: "10.9.9.9", reasons: [{ row: 7 }] },
    ]);
  });

  test("a dump of a cluster answers as the cluster does", async () => {
    const dump = join(folder, "dump.json");
    await writeFile(dump, (await as(admin, "export", "--full", "-o", "json")).stdout);
    const words = ["trace", "pod/shop/web", "--to", "8.8.8.8:443"];
    expect((await runEgret([...words, "--from", dump])).stdout).toBe((await as(admin, ...words)).stdout);
  });

  test("a file that is not there is said", async () => {
    const { code, stderr } = await runEgret(["explain", "node", "a", "--from", join(folder, "none")]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/none/) });
  });
});
