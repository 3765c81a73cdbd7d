// Verdicts about a cluster other than Egret, from lists only, and about files. Another Egret with TLS and RBAC plays the
// cluster: its user holds only the role that `egret explain --rbac` prints.
import { execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
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
    ["plan", "--delete", "node/node-a", "-o", "json"],
    ["plan", "--label", "node/node-a", "k8s.ovn.org/egress-assignable-", "--not-ready", "node/node-b"],
    ["plan", "--delete", "pod/shop/web", "--fail-on", "denied"],
    ["plan", "--every", "node"],
    ["trace", "--from", "ns/shop", "--to", "0.0.0.0/0"],
    ["trace", "--matrix", "-o", "json"],
  ];

  test.each(QUESTIONS.map((words) => ({ words })))(
    "$words is answered as Egret itself answers",
    async ({ words }) => {
      const [theirs, own] = [await as(reader, ...words), await as(admin, ...words)];
      expect(theirs).toEqual(own);
      expect(own.code).toBe(0);
    },
  );

  test("the role is the same for all three", async () => {
    const [role, ...others] = await Promise.all(
      ["explain", "trace", "plan"].map((verb) => runEgret([verb, "--rbac"])),
    );
    expect(others).toEqual([role, role]);
    expect(role?.stdout).not.toMatch(/[&*]/);
    const { rules } = parse(role?.stdout ?? "");
    expect(new Set(rules.flatMap(({ verbs }: { verbs: string[] }) => verbs))).toEqual(new Set(["list"]));
  });

  test("nothing is written, and nothing but lists is asked of the API", async () => {
    const before = (await as(admin, "export", "--full", "-o", "json")).stdout;
    await as(admin, "requests", "--clear");
    for (const words of [QUESTIONS[0], QUESTIONS[3], QUESTIONS[5]])
      expect((await as(reader, ...(words ?? []))).code).toBe(0);
    const { items } = JSON.parse((await as(admin, "requests", "--user", "reader", "-o", "json")).stdout);
    const asked = items.filter(({ path }: { path: string }) => !/^\/(egret\/|version$)/.test(path));
    expect(asked.length).toBeGreaterThan(60);
    expect(new Set(asked.map(({ verb }: { verb: string }) => verb))).toEqual(new Set(["list"]));
    expect(asked.filter(({ status }: { status: number }) => status === 403)).toEqual([]);
    expect((await as(admin, "export", "--full", "-o", "json")).stdout).toBe(before);
  });

  test("a change is tried in the copy alone, as the API would take it", async () => {
    const path = join(folder, "change.yaml");
    const moved = (await readFile(SHOP, "utf8")).replaceAll("192.168.126.101", "192.168.126.102");
    await writeFile(path, `${moved}---\napiVersion: v1\nkind: Node\nmetadata: {name: A_B}\n`);
    const { code, stdout, stderr } = await as(
      reader,
      "plan",
      "-f",
      path,
      "--fail-on",
      "denied",
      "-o",
      "json",
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      moved: [
        { address: "192.168.126.101", from: "node-a" },
        { address: "192.168.126.102", to: "node-a" },
      ],
      refused: [{ change: "apply Node A_B", message: expect.stringContaining("is invalid") }],
    });
  });

  describe("with a right less", () => {
    const without = async (resource: string, ...words: string[]) => {
      const role = JSON.stringify(parse((await as(admin, "explain", "--rbac")).stdout));
      const less = join(folder, "less.json");
      await writeFile(less, role.replace(`"${resource}",`, "").replace(`"${resource}"`, ""));
      await as(admin, "apply", "-f", less);
      const answer = await as(reader, ...words);
      await writeFile(less, role);
      await as(admin, "apply", "-f", less);
      return answer;
    };

    test("that nothing can do without, it is named", async () => {
      expect(await without("egressips", "explain", "egressip", "shop")).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(
          /^egret: the right to list egressips\.k8s\.ovn\.org \(\/apis\/k8s\.ovn\.org\/v1\/egressips\) is missing: egret explain --rbac/,
        ),
      });
      const denied = await without("egressfirewalls", "trace", "pod/shop/web", "--to", "8.8.8.8");
      expect(denied.stderr).toMatch(/^egret: the right to list egressfirewalls\.k8s\.ovn\.org/);
    });

    test("that is not needed for this, it is answered, and said", async () => {
      const { stdout, stderr } = await without("egressfirewalls", "explain", "egressip", "shop");
      expect(stdout).toBe((await as(admin, "explain", "egressip", "shop")).stdout);
      expect(stderr).toMatch(/^egret: answered without the right to list egressfirewalls\.k8s\.ovn\.org/);
    });

    test("that only tells how the cluster was set up, what is taken is said where it matters", async () => {
      const words = ["trace", "pod/shop/web", "--to", "8.8.8.8:443"];
      const { code, stderr } = await without("servicecidrs", ...words);
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/--service-subnets/) });
      const said = await without("servicecidrs", ...words, "--service-subnets", "10.96.0.0/16");
      expect(said).toMatchObject({ code: 0, stderr: "" });
    });
  });

  test("what is not there is said", async () => {
    expect(await as(reader, "explain", "egressip", "nobody")).toMatchObject({
      code: 1,
      stderr: 'egret: egressips.k8s.ovn.org "nobody" not found\n',
    });
    expect((await as(reader, "trace", "pod/shop/web", "--to", "www.example.com")).stdout).toMatch(
      /--resolve/,
    );
  });

  test("a server that is busy is asked again", async () => {
    const fault = {
      match: { resource: "pods", verb: "list" },
      count: 1,
      error: { code: 429, retryAfterSeconds: 1 },
    };
    expect((await as(admin, "faults", "add", JSON.stringify(fault))).stderr).toBe("");
    expect(await as(reader, "explain", "egressip", "shop")).toMatchObject({ code: 0, stderr: "" });
    const { items } = JSON.parse((await as(admin, "faults", "-o", "json")).stdout);
    expect(items).toMatchObject([{ fired: 1 }]);
    await as(admin, "faults", "clear");
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

describe("which cluster", () => {
  test("is that of --context, of several files", async () => {
    const other = join(folder, "other");
    const config = parse(await readFile(reader, "utf8"));
    const nowhere = { cluster: { server: "https://127.0.0.1:1" }, name: "nowhere" };
    const contexts = [
      { name: "away", context: { cluster: "nowhere", user: config.users[0].name } },
      { name: "shop", context: config.contexts[0].context },
    ];
    await writeFile(other, JSON.stringify({ clusters: [nowhere], contexts, "current-context": "away" }));
    const env = { KUBECONFIG: `${other}:${reader}:${join(folder, "none")}` };
    const words = ["explain", "egressip", "shop"];
    const { stdout } = await as(admin, ...words);
    expect(await runEgret([...words, "--context", "shop"], { env })).toEqual({ code: 0, stdout, stderr: "" });
    expect((await runEgret(words, { env })).stderr).toMatch(
      /^egret: https:\/\/127\.0\.0\.1:1 does not answer/,
    );
    expect((await runEgret([...words, "--context", "shopp"], { env })).stderr).toMatch(
      /has no context shopp/,
    );
  });

  test("is the one that kubectl would ask, where none is named and none is here", async () => {
    const home = await mkdtemp(join(folder, "home-"));
    await mkdir(join(home, ".kube"));
    await copyFile(reader, join(home, ".kube", "config"));
    const [env, cwd] = [{ HOME: home, KUBECONFIG: "" }, home];
    expect((await runEgret(["explain", "egressip", "shop"], { env, cwd })).code).toBe(0);
    // What writes is never sent there.
    expect((await runEgret(["apply", "-f", NODES], { env, cwd })).stderr).toMatch(
      /\.egret\/kubeconfig cannot be read/,
    );
  });

  test("may have its credentials from a program, which is asked once", async () => {
    const [config, plugin, count] = [
      parse(await readFile(reader, "utf8")),
      join(folder, "login"),
      join(folder, "count"),
    ];
    const credential = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" };
    const status = { token: "token-of-reader" };
    await writeFile(
      plugin,
      `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> "$COUNT"\necho '${JSON.stringify({ ...credential, status })}'\n`,
      { mode: 0o755 },
    );
    const exec = {
      ...{ apiVersion: credential.apiVersion, command: "./login", interactiveMode: "Never" },
      ...{ env: [{ name: "COUNT", value: count }], provideClusterInfo: true },
    };
    const path = join(folder, "with-exec");
    await writeFile(
      path,
      JSON.stringify({ ...config, users: [{ name: config.users[0].name, user: { exec } }] }),
    );
    expect((await as(path, "explain", "egressip", "shop")).code).toBe(0);
    const [order = "", ...more] = (await readFile(count, "utf8")).trim().split("\n");
    expect(more).toEqual([]);
    const { server, ...cluster } = config.clusters[0].cluster;
    expect(JSON.parse(order)).toEqual({
      ...credential,
      spec: { interactive: false, cluster: { server, ...cluster } },
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

  test("what must-gather has collected answers as the cluster does, packed or not", async () => {
    const { items } = JSON.parse((await as(admin, "export", "--full", "-o", "json")).stdout);
    const gathered = join(folder, "must-gather.local.7", "quay-io-image", "cluster-scoped-resources");
    const lists = new Map<string, object[]>();
    for (const object of items) {
      const [group = "core"] = object.apiVersion.split("/").slice(0, -1);
      const { name, namespace } = object.metadata;
      const resource = `${object.kind.toLowerCase()}s`;
      const path = namespace
        ? `../namespaces/${namespace}/${group}/${resource}.yaml`
        : `${group}/${resource}/${name}.yaml`;
      lists.set(path, [...(lists.get(path) ?? []), object]);
    }
    for (const [path, [first, ...more]] of lists) {
      await mkdir(dirname(join(gathered, path)), { recursive: true });
      const isList = path.startsWith("..");
      const list = { apiVersion: "v1", kind: "List", items: [first, ...more] };
      await writeFile(join(gathered, path), `---\n${stringify(isList ? list : first)}`);
    }
    const archive = join(folder, "must-gather.tar.gz");
    execFileSync("tar", ["-czf", archive, "-C", folder, "must-gather.local.7"]);
    for (const words of [
      ["explain", "egressip", "shop"],
      ["plan", "--delete", "node/node-a"],
    ]) {
      const own = await as(admin, ...words);
      for (const path of [join(folder, "must-gather.local.7"), archive])
        expect(await runEgret([...words, "--from", path])).toEqual(own);
    }
  });

  test("a plan is made of them", async () => {
    const dump = join(folder, "for-plan.json");
    await writeFile(dump, (await as(admin, "export", "--full", "-o", "json")).stdout);
    const words = ["plan", "--delete", "node/node-a"];
    const own = await as(admin, ...words);
    expect(await runEgret([...words, "--from", dump])).toEqual(own);
    // Manifests have no placements yet: the copy makes them before anything is changed.
    const { code, stdout, stderr } = await runEgret([...words, "--from", NODES, "--from", SHOP]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: own.stdout });
    expect(stderr).toMatch(
      /before any change: EgressIP shop has 192\.168\.126\.101 on no node, and on node-a in the copy/,
    );
  });

  test("who names no namespace means the usual one, and what is not known of a cluster is said", async () => {
    const path = join(folder, "bare.yaml");
    const node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nspec: {providerID: 'aws:///eu-1a/i-1'}\n";
    await writeFile(
      path,
      `${node}---\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {nodeName: a}\n`,
    );
    const { code, stdout, stderr } = await runEgret(["explain", "pod", "web", "--from", path]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/web/) });
    expect(stderr).toBe(
      "egret: the files have pods of namespaces that they do not have: nothing is known of the labels of default\n" +
        "egret: the nodes stand on aws: if egress addresses are asked of it, say --platform aws\n",
    );
    expect(
      (await runEgret(["explain", "pod", "web", "--from", path, "--platform", "aws"])).stderr,
    ).not.toMatch(/aws/);
  });

  test("a file that is not there is said", async () => {
    const { code, stderr } = await runEgret(["explain", "node", "a", "--from", join(folder, "none")]);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/none/) });
  });
});
