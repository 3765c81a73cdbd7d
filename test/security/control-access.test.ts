// Authorization of the control surface over HTTPS: access to its paths gives a user no more rights than the user has on
// the Kubernetes API.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apimachinery/meta/object-meta.ts";
import { type OutgoingRequest, requestWith } from "../../src/apiserver/http/kubeconfig/client.ts";
import { type EgretProcess, startEgret } from "../support/egret-process.ts";

const RBAC = "rbac.authorization.k8s.io";
const SECRET_VALUE = "aHVzaA==";

/** The rights of each user: cluster rules, and whether the user has the edit role in the namespace a. */
const USERS: Readonly<Record<string, { rules: readonly object[]; editsA?: boolean }>> = {
  reader: { rules: [{ nonResourceURLs: ["*"], verbs: ["get"] }] },
  visitor: { rules: [{ nonResourceURLs: ["/egret/v1/*"], verbs: ["*"] }] },
  importer: { rules: [{ nonResourceURLs: ["/egret/v1/import"], verbs: ["post"] }] },
  editor: { rules: [{ nonResourceURLs: ["/egret/v1/*"], verbs: ["*"] }], editsA: true },
  watcher: {
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["list"] },
      { nonResourceURLs: ["/egret/v1/*"], verbs: ["*"] },
    ],
  },
  chief: {
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
      { nonResourceURLs: ["*"], verbs: ["*"] },
    ],
  },
  impersonator: { rules: [{ apiGroups: [""], resources: ["users"], verbs: ["impersonate"] }] },
};

let folder: string;
let egret: EgretProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-control-access-"));
  const tokens = join(folder, "tokens.csv");
  await writeFile(
    tokens,
    Object.keys(USERS)
      .map((name) => `token-of-${name},${name},\n`)
      .join(""),
  );
  const admin = join(folder, "admin");
  const flags = ["--in-memory", "--secure", "--token-auth-file", tokens, "--kubeconfig", admin];
  egret = await startEgret(flags);
  const config = await readFile(admin, "utf8");
  for (const name of Object.keys(USERS))
    await writeFile(join(folder, name), config.replace(/token: .*/, `token: token-of-${name}`));
  const items = [
    ...["a", "b"].flatMap((namespace) => [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace }, data: { key: SECRET_VALUE } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace } },
    ]),
    ...Object.entries(USERS).flatMap(([name, { rules, editsA }]) => [
      { apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata: { name }, rules },
      bindingOf("ClusterRoleBinding", name, name),
      ...(editsA ? [bindingOf("RoleBinding", "edit", name, "a")] : []),
    ]),
  ];
  const list = { apiVersion: "v1", kind: "List", items };
  expect(await ask("admin", "POST", "/import", list)).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await egret?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const bindingOf = (kind: string, role: string, user: string, namespace?: string) => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name: `${user}-${role}`, ...(namespace ? { namespace } : {}) },
  roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
  subjects: [{ apiGroup: RBAC, kind: "User", name: user }],
});

const ask = (user: string, method: string, path: string, body?: unknown) =>
  requestWith(join(folder, user), {
    method: method as OutgoingRequest["method"], // as the callers below pass it
    path: `/egret/v1${path}`,
    body,
  });
const importAs = async (user: string, ...items: readonly (Partial<KubeObject> & object)[]) => {
  const { status, text } = await ask(user, "POST", "/import", { apiVersion: "v1", kind: "List", items });
  const answer = JSON.parse(text) as { items: { result: string; status?: { message: string } }[] };
  return { status, results: answer.items.map((item) => item.status?.message ?? item.result) };
};
const there = async (path: string) => {
  const { status, text } = await requestWith(join(folder, "admin"), { method: "GET", path });
  return status === 200 ? JSON.parse(text) : status;
};

describe("what replaces the state, steers the server or shows what any object was", () => {
  const calls: readonly (readonly [method: string, path: string, body?: object])[] = [
    ["POST", "/reset", { to: "start" }],
    ["GET", "/snapshots"],
    ["POST", "/snapshots", { name: "x" }],
    ["PUT", "/snapshots/x"],
    ["GET", "/snapshots/x"],
    ["DELETE", "/snapshots/x"],
    ["POST", "/snapshots/x/restore"],
    ["GET", "/branches"],
    ["POST", "/branches", { name: "x" }],
    ["POST", "/branches/x/checkout"],
    ["DELETE", "/branches/x"],
    ["GET", "/backup"],
    ["GET", "/faults"],
    ["POST", "/faults", { action: "error", error: { code: 500 } }],
    ["DELETE", "/faults"],
    ["PUT", "/clock", { mode: "frozen" }],
    ["POST", "/clock/advance", { duration: "1h" }],
    ["GET", "/seed"],
    ["PUT", "/seed", { seed: "x" }],
    ["GET", "/history/secrets/s?namespace=b"],
    ["GET", "/objects/secrets/s?namespace=b&resourceVersion=1"],
    ["POST", "/compact", { revision: 1 }],
    ["POST", "/plan", { changes: [] }],
    ["POST", "/plan/nodes"],
    ["GET", "/requests"],
    ["DELETE", "/requests"],
  ];

  const asked = calls.map(([method, path, body]) => ({ method, path, body }));

  test.each(asked)("needs somebody who may do everything: $method $path", async ({ method, path, body }) => {
    const { status, text } = await ask("visitor", method, path, body);
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({
      kind: "Status",
      reason: "Forbidden",
      message: expect.stringMatching(
        new RegExp(
          `^forbidden: User "visitor" cannot ${method.toLowerCase()} path "/egret/v1${path.split("?")[0]}": .*system:masters`,
        ),
      ),
    });
  });

  test("is open to all of system:masters, and to who holds the same by a role", async () => {
    for (const user of ["admin", "chief"]) {
      expect((await ask(user, "GET", "/snapshots")).status).toBe(200);
      expect((await ask(user, "GET", "/history/secrets/s?namespace=b")).status).toBe(200);
      expect((await ask(user, "GET", "/backup")).status).toBe(200);
    }
  });

  test("is refused to who may only impersonate others, and to nobody's path", async () => {
    expect((await ask("impersonator", "GET", "/snapshots")).status).toBe(403);
    expect((await ask("importer", "POST", "/reset", {})).status).toBe(403);
  });
});

describe("a verdict", () => {
  const calls = [
    ["/explain", { kind: "node", name: "n" }, 404],
    ["/trace", { namespace: "a", pod: "p", to: "8.8.8.8" }, 404],
  ] as const;

  test.each(calls)("%s is given to who may list all that it reads", async (path, body, status) => {
    expect(await ask("chief", "POST", path, body)).toMatchObject({ status });
    expect(await ask("watcher", "POST", path, body)).toMatchObject({ status });
    const refused = await ask("visitor", "POST", path, body);
    expect(refused.status).toBe(403);
    expect(refused.text).toMatch(/cannot list resource \\"nodes\\"/);
  });
});

describe("an export", () => {
  test("shows who may only read paths nothing", async () => {
    for (const query of ["", "?full=true", "?kinds=secrets", "?namespace=a", "?format=json"]) {
      const { status, text } = await ask("reader", "GET", `/export${query}`);
      expect(status).toBe(403);
      expect(text).not.toContain(SECRET_VALUE);
    }
  });

  test("shows a user what he may list, and names what it leaves out", async () => {
    const { status, text, warnings } = await ask("editor", "GET", "/export?namespace=a");
    expect(status).toBe(200);
    expect(text).toContain("kind: ConfigMap");
    expect(text).toContain(SECRET_VALUE); // the role edit allows it
    expect(text).not.toContain("kind: RoleBinding");
    expect(warnings).toEqual([expect.stringMatching(/^left out, .*rolebindings\.rbac/)]);
    expect((await ask("editor", "GET", "/export?namespace=a&kinds=cm")).warnings).toEqual([]);
  });

  test.each([
    "?namespace=b",
    "",
    "?kinds=secrets",
    "?namespace=b&kinds=cm",
    "?namespace=a&kinds=rolebindings",
  ])("refuses what he may not list: %s", async (query) => {
    const { status, text } = await ask("editor", "GET", `/export${query}`);
    expect([status, JSON.parse(text).reason]).toEqual([403, "Forbidden"]);
  });

  test("shows everything to who may do everything", async () => {
    const { text, warnings } = await ask("chief", "GET", "/export?kinds=secrets");
    expect(text.match(new RegExp(SECRET_VALUE, "g"))).toHaveLength(2);
    expect(warnings).toEqual([]);
  });
});

describe("an import", () => {
  const configMap = (namespace: string, name: string, data: object = {}) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data,
  });

  /** Grants the importer this rule only, besides the import itself. */
  const importerMay = (rule: object) =>
    importAs("admin", {
      apiVersion: `${RBAC}/v1`,
      kind: "ClusterRole",
      metadata: { name: "importer" },
      rules: [rule, { nonResourceURLs: ["/egret/v1/import"], verbs: ["post"] }],
    } as KubeObject);

  test("does not make its caller anything that he is not", async () => {
    const escalation = bindingOf("ClusterRoleBinding", "cluster-admin", "importer");
    const { status, results } = await importAs("importer", escalation, configMap("a", "new"));
    expect(status).toBe(422);
    expect(results).toEqual([
      expect.stringContaining('User "importer" cannot patch resource "clusterrolebindings"'),
      expect.stringContaining(
        'User "importer" cannot patch resource "configmaps" in API group "" in the namespace "a"',
      ),
    ]);
    expect(await there(`/apis/${RBAC}/v1/clusterrolebindings/importer-cluster-admin`)).toBe(404);
    expect(await there("/api/v1/namespaces/a/configmaps/new")).toBe(404);
  });

  test("of objects as they stood is for those alone who may do everything", async () => {
    const body = `${JSON.stringify(configMap("a", "stood"))}\n`;
    const lines = (user: string) =>
      requestWith(join(folder, user), {
        ...{ method: "POST", path: "/egret/v1/import", body: Buffer.from(body) },
        contentType: "application/x-ndjson",
      });
    const { status, text } = await lines("importer");
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({
      ...{ kind: "Status", reason: "Forbidden", code: 403 },
      message:
        'forbidden: User "importer" cannot post path "/egret/v1/import": objects as they stood are written beside all checks: that needs somebody who may do everything',
    });
    expect(await there("/api/v1/namespaces/a/configmaps/stood")).toBe(404);
    expect((await lines("chief")).status).toBe(200);
    expect(await there("/api/v1/namespaces/a/configmaps/stood")).not.toBe(404);
  });

  test("writes as its caller, where he may write", async () => {
    const { results } = await importAs("editor", configMap("a", "own"), configMap("b", "other"));
    expect(results).toEqual(["created", expect.stringContaining('User "editor" cannot patch resource')]);
    expect((await importAs("editor", configMap("a", "own"))).results).toEqual(["unchanged"]);
    const { metadata } = await there("/api/v1/namespaces/a/configmaps/own");
    expect(metadata.managedFields).toMatchObject([{ manager: "egret", operation: "Apply" }]);
  });

  test("hands out no rights that its caller does not have, though he may write bindings", async () => {
    await importerMay({ apiGroups: [RBAC], resources: ["rolebindings"], verbs: ["patch", "create"] });
    const { results } = await importAs("importer", bindingOf("RoleBinding", "admin", "importer", "a"));
    expect(results).toEqual([
      expect.stringContaining("is attempting to grant RBAC permissions not currently held"),
    ]);
  });

  test("makes nothing for who may only change it", async () => {
    await importerMay({ apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] });
    const { results } = await importAs("importer", configMap("b", "c", { n: "1" }), configMap("b", "made"));
    expect(results).toEqual(["configured", expect.stringMatching(/^configmaps "made" is forbidden/)]);
    expect(await there("/api/v1/namespaces/b/configmaps/made")).toBe(404);
  });
});

describe("a wait", () => {
  const wait = (user: string, query: object) =>
    ask(user, "POST", "/wait", { query, condition: "true", timeout: "1s" });

  test("looks only at what its caller may look at", async () => {
    const secret = { kind: "v1/Secret", name: "s" };
    expect((await wait("visitor", { ...secret, namespace: "a" })).status).toBe(403);
    expect((await wait("visitor", { kind: "v1/Secret" })).status).toBe(403);
    const { status, text } = await wait("editor", { ...secret, namespace: "a" });
    expect([status, text]).toEqual([200, expect.stringContaining(SECRET_VALUE)]);
    expect((await wait("editor", { kind: "v1/Secret", namespace: "b" })).status).toBe(403);
    expect((await wait("editor", { kind: "v1/Secret" })).status).toBe(403);
  });
});

test("what shows and changes nothing of the store is open to who is let to its path", async () => {
  for (const [method, path] of [
    ["GET", "/clock"],
    ["POST", "/clock/settle"],
    ["GET", "/openapi.json"],
  ] as const)
    expect((await ask("visitor", method, path)).status).toBe(200);
});
