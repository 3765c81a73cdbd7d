// The deprecated /watch/ and /proxy/ forms of a path: the server authorizes the verb in the path, so it must not execute
// another one, whatever the method is. The statuses are those of a kube-apiserver v1.36.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getRaw } from "../support/sockets/raw-socket.ts";
import { type Answer, type BuiltServer, startBuiltServer } from "./built-server.ts";

const OVN = "/apis/k8s.ovn.org/v1";
const EGRESS_IP = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { name: "e" },
  spec: { egressIPs: ["10.0.0.1"], namespaceSelector: {} },
};
const FIREWALL = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressFirewall",
  metadata: { name: "default", namespace: "default" },
  spec: { egress: [{ type: "Deny", to: { cidrSelector: "192.0.2.0/24" } }] },
};
const CONFIG_MAP = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "default" } };
const METHODS = ["DELETE", "PATCH", "APPLY", "POST", "PUT"];

let server: BuiltServer;
beforeAll(async () => {
  server = await startBuiltServer();
  const made = [
    await server.send("POST", `${OVN}/egressips`, EGRESS_IP),
    await server.send("POST", `${OVN}/namespaces/default/egressfirewalls`, FIREWALL),
    await server.send("POST", "/api/v1/namespaces/default/configmaps", CONFIG_MAP),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  await server.grant([{ apiGroups: ["*"], resources: ["*"], verbs: ["watch"] }]);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const state = async () =>
  await Promise.all(
    [`${OVN}/egressips`, `${OVN}/egressfirewalls`, "/api/v1/configmaps", "/api/v1/namespaces"].map(
      async (path) => (await server.send("GET", path)).text.replace(/"resourceVersion":"\d+"/, ""),
    ),
  );

/** Sends as the attacker, with a body that the method would execute if it could. */
function attack(method: string, path: string, object: object): Promise<Answer> {
  const url = `${path}?timeoutSeconds=1`;
  const changed = { ...object, metadata: { ...Object(object)["metadata"], labels: { was: "here" } } };
  if (method === "DELETE") return server.send("DELETE", url, undefined, { token: "low" });
  if (method === "PATCH")
    return server.send("PATCH", url, changed, { token: "low", type: "application/merge-patch+json" });
  if (method === "APPLY")
    return server.send("PATCH", `${url}&fieldManager=m&force=true`, changed, {
      ...{ token: "low", type: "application/apply-patch+yaml" },
    });
  return server.send(method, url, changed, { token: "low" });
}

const message = ({ text }: Answer): string => JSON.parse(text).message;

describe.each([
  ["a cluster-scoped custom kind", `${OVN}/watch/egressips`, "e", EGRESS_IP],
  ["a namespaced custom kind", `${OVN}/watch/namespaces/default/egressfirewalls`, "default", FIREWALL],
] as const)("%s with the right to watch alone", (_what, collection, name, object) => {
  test.each(METHODS)("%s is a watch", async (method) => {
    const before = await state();
    for (const path of [collection, `${collection}/${name}`]) {
      const { status, text } = await attack(method, path, object);
      expect([status, JSON.parse(text.split("\n")[0] ?? "")]).toEqual([
        200,
        expect.objectContaining({ type: "ADDED", object: expect.objectContaining({ kind: object.kind }) }),
      ]);
    }
    expect(await state()).toEqual(before);
  });

  test.each(METHODS)("%s of a subresource, or with the proxy prefix, is refused", async (method) => {
    const before = await state();
    const status = await attack(method, `${collection}/${name}/status`, object);
    expect([404, 405]).toContain(status.status);
    const proxied = await attack(method, `${collection.replace("/watch/", "/proxy/")}/${name}`, object);
    expect([proxied.status, message(proxied)]).toEqual([
      403,
      expect.stringContaining("cannot proxy resource"),
    ]);
    const watched = await attack(method, `${collection.replace("/watch/", "/watch/watch/")}/${name}`, object);
    expect(watched.status).toBe(404);
    expect(await state()).toEqual(before);
  });
});

describe("a built-in kind with the right to watch alone", () => {
  const ONE = "/api/v1/watch/namespaces/default/configmaps/c";
  test.each(METHODS)("%s is not allowed", async (method) => {
    const before = await state();
    for (const [path, expected] of [
      [ONE, 405],
      ["/api/v1/watch/namespaces/default/configmaps", 405],
      ["/api/v1/watch/namespaces/default", 405],
      ["/api/v1/watch/namespaces/default/status", 404],
      ["/api/v1/watch/namespaces/default/finalize", 404],
      ["/api/v1/watch/namespaces/default/pods/p/eviction", 404],
      ["/apis/apps/v1/watch/namespaces/default/deployments/d/scale", 404],
      ["/api/v1/watch", 500],
    ] as const)
      expect([path, (await attack(method, path, CONFIG_MAP)).status]).toEqual([path, expected]);
    expect(await state()).toEqual(before);
  });
});

test("the right to create one name does not allow to create others", async () => {
  await server.grant([
    { apiGroups: ["k8s.ovn.org"], resources: ["egressips"], verbs: ["create"], resourceNames: ["mine"] },
  ]);
  const other = { ...EGRESS_IP, metadata: { name: "other" } };
  for (const object of [other, { ...EGRESS_IP, metadata: { generateName: "mine" } }]) {
    const { status } = await server.send("POST", `${OVN}/egressips/mine`, object, { token: "low" });
    expect(status).toBe(403);
  }
});

test("the right to list one name allows its field selector alone", async () => {
  await server.grant([{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"], resourceNames: ["c"] }]);
  const list = (query: string) =>
    server.send("GET", `/api/v1/configmaps?${query}`, undefined, { token: "low" });
  expect((await list("fieldSelector=metadata.name%3Dc")).status).toBe(200);
  for (const query of [
    ...["", "fieldSelector=metadata.name!%3Dc", "fieldSelector=metadata.name%3Dd"],
    ...["fieldSelector=metadata.name%3Dc&limit=x", "fieldSelector=metadata.name%3Dc&labelSelector=((("],
    ...[
      "fieldSelector=&fieldSelector=metadata.name%3Dc",
      `fieldSelector=metadata.name%3Dc${",".repeat(5000)}`,
    ],
  ])
    expect([query.slice(0, 80), (await list(query)).status]).toEqual([query.slice(0, 80), 403]);
});

test.each(["//api/v1/namespaces/default", "//apis/apps/v1", "//version", "//", "/apis//v1/configmaps"])(
  "%s is no other form of a path, for the administrator too",
  async (path) => {
    const answer = await getRaw(server.url, path, ["Authorization: Bearer root"]);
    expect([answer.status, answer.body.trim()]).toEqual([404, "404 page not found"]);
  },
);
