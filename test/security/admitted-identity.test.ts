// A mutating webhook returns an object of another namespace, name, kind or version. The statuses are recorded from a
// kube-apiserver v1.36.3, except where a comment names a difference.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebhookServer } from "../unit/apiserver/apiextensions/webhook-server.ts";
import { type Answer, type BuiltServer, startBuiltServer } from "./built-server.ts";

const MAPS = "/api/v1/namespaces/a/configmaps";
const OVN = "/apis/k8s.ovn.org/v1";
const FIREWALLS = `${OVN}/namespaces/a/egressfirewalls`;
const DEPLOYMENTS = "/apis/apps/v1/namespaces/a/deployments";
const ACCOUNT_TOKEN = "/api/v1/namespaces/a/serviceaccounts/s/token";
const MERGE = "application/merge-patch+json";
const APPLY = "application/apply-patch+yaml";
const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

let server: BuiltServer;
let webhook: WebhookServer;
let operations: readonly object[] = [];
beforeAll(async () => {
  webhook = await WebhookServer.open();
  webhook.answer = ({ request: { uid } }) => ({
    body: {
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: {
        ...{ uid, allowed: true, patchType: "JSONPatch" },
        patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
      },
    },
  });
  server = await startBuiltServer();
  const labels = { app: "d" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "c" }] } };
  const objects: readonly (readonly [string, object])[] = [
    ["/api/v1/namespaces", { metadata: { name: "a" } }],
    ["/api/v1/namespaces", { metadata: { name: "b" } }],
    ["/api/v1/namespaces/a/serviceaccounts", { metadata: { name: "s" } }],
    [MAPS, { metadata: { name: "old" } }],
    [FIREWALLS, firewall],
    [`${OVN}/egressips`, egressIp("old")],
    [DEPLOYMENTS, { metadata: { name: "d" }, spec: { selector: { matchLabels: labels }, template } }],
  ];
  for (const [path, object] of objects) expect((await server.send("POST", path, object)).status).toBe(201);
  const all = { apiGroups: ["*"], apiVersions: ["*"], operations: ["CREATE", "UPDATE"] };
  const resources = ["configmaps", "egressfirewalls", "egressfirewalls/status", "egressips"];
  const below = ["deployments/scale", "leases", "serviceaccounts/token"];
  const hook = {
    name: "moves.example.com",
    clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
    rules: [{ ...all, resources: [...resources, ...below] }],
    ...{ sideEffects: "None", admissionReviewVersions: ["v1"] },
  };
  const made = await server.send("POST", CONFIGURATIONS, { metadata: { name: "moves" }, webhooks: [hook] });
  expect(made.status).toBe(201);
});
afterEach(() => {
  operations = [];
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await webhook?.[Symbol.asyncDispose]();
});

const firewall = {
  ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressFirewall", metadata: { name: "default" } },
  spec: { egress: [{ type: "Deny", to: { cidrSelector: "192.0.2.0/24" } }] },
};
const egressIp = (name: string) => ({
  ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name } },
  spec: { egressIPs: ["10.0.0.1"], namespaceSelector: {} },
});
/** Also valid as the data of a Secret: another kind is decoded before it is rejected. */
const freshBase64 = () => Buffer.from(freshName()).toString("base64");
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const lease = (name: string) => ({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } });

let made = 0;
const freshName = () => `fresh-${++made}`;
const label = () => ({ metadata: { labels: { run: freshName() } } });
const WRITES: Readonly<Record<string, () => Promise<Answer>>> = {
  create: () => server.send("POST", MAPS, map(freshName())),
  update: () => server.send("PUT", `${MAPS}/old`, { ...map("old"), data: { run: freshBase64() } }),
  patch: () => server.send("PATCH", `${MAPS}/old`, label(), { type: MERGE }),
  apply: () => server.send("PATCH", `${MAPS}/old?fieldManager=m`, map("old"), { type: APPLY }),
  "create by apply": async () => {
    const name = freshName();
    return await server.send("PATCH", `${MAPS}/${name}?fieldManager=m`, map(name), { type: APPLY });
  },
  "create by update": async () => {
    const name = freshName();
    return await server.send("PUT", `/apis/coordination.k8s.io/v1/namespaces/a/leases/${name}`, lease(name));
  },
  "patch of a custom resource": () => server.send("PATCH", `${FIREWALLS}/default`, label(), { type: MERGE }),
  "patch of its status": () =>
    server.send("PATCH", `${FIREWALLS}/default/status`, { status: { status: freshName() } }, { type: MERGE }),
  "create of a cluster-scoped custom resource": () =>
    server.send("POST", `${OVN}/egressips`, egressIp(freshName())),
};
const NAMED = ["create", "update", "patch", "apply", "create by apply"];
const CUSTOM = ["patch of a custom resource", "patch of its status"];
const NEW_BY_NAME = ["create by apply", "create by update"];

const write = async (which: string, member: string, value: unknown): Promise<Answer> => {
  operations = [{ op: "add", path: `/${member}`, value }];
  return await (WRITES[which] as () => Promise<Answer>)();
};
const read = (answer: Answer) => JSON.parse(answer.text);

/** The store is unchanged, apart from writes that were admitted. */
async function expectNoneIn(namespace: string): Promise<void> {
  for (const path of [`/api/v1/namespaces/${namespace}/configmaps`, `/apis/coordination.k8s.io/v1/leases`]) {
    const { items } = read(await server.send("GET", path));
    expect(
      items.filter(({ metadata }: { metadata: { namespace: string } }) => metadata.namespace === namespace),
    ).toEqual([]);
  }
}

describe("another namespace", () => {
  test.each([...NAMED, ...CUSTOM, "create by update"])("%s is refused", async (which) => {
    const answer = await write(which, "metadata/namespace", "b");
    expect([answer.status, read(answer).reason, read(answer).message]).toEqual([
      400,
      "BadRequest",
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
    await expectNoneIn("b");
  });

  test.each([...NAMED, ...CUSTOM, "create by update"])("%s fills in one that is removed", async (which) => {
    operations = [
      { op: "add", path: "/metadata/namespace", value: "b" },
      { op: "remove", path: "/metadata/namespace" },
    ];
    const answer = await (WRITES[which] as () => Promise<Answer>)();
    expect([200, 201]).toContain(answer.status);
    expect(read(answer).metadata.namespace).toBe("a");
  });

  test("a cluster-scoped resource loses it", async () => {
    const answer = await write("create of a cluster-scoped custom resource", "metadata/namespace", "b");
    expect([answer.status, read(answer).metadata.namespace]).toEqual([201, undefined]);
  });
});

describe("another kind or version", () => {
  test.each(NAMED)("%s is refused for a built-in kind", async (which) => {
    for (const [member, value, message] of [
      ["kind", "Secret", "converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
      [
        "kind",
        "Nope",
        'no kind "Nope" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
      ],
      [
        "apiVersion",
        "v2",
        'no kind "ConfigMap" is registered for version "v2" in scheme "pkg/api/legacyscheme/scheme.go:30"',
      ],
    ] as const) {
      const answer = await write(which, member, value);
      expect([answer.status, read(answer).message]).toEqual([500, expect.stringContaining(message)]);
    }
    operations = [{ op: "remove", path: "/kind" }];
    const answer = await (WRITES[which] as () => Promise<Answer>)();
    expect(read(answer)).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
  });

  test.each([...CUSTOM, "create of a cluster-scoped custom resource"])(
    "%s is refused for a custom kind",
    async (which) => {
      const kind = which.startsWith("create") ? "EgressIP" : "EgressFirewall";
      const version = await write(which, "apiVersion", "v2");
      expect([version.status, read(version).message]).toEqual([
        500,
        `/v2, Kind=${kind} is unstructured and is not suitable for converting to "k8s.ovn.org/v1"`,
      ]);
      operations = [{ op: "remove", path: "/kind" }];
      const missing = await (WRITES[which] as () => Promise<Answer>)();
      expect([missing.status, read(missing).message]).toEqual([
        500,
        expect.stringContaining("Object 'Kind' is missing in '{"),
      ]);
    },
  );
});

describe("another name", () => {
  test.each(["update", "patch", "apply"])("%s is refused", async (which) => {
    const answer = await write(which, "metadata/name", "other");
    expect([answer.status, read(answer).message]).toEqual([
      422,
      expect.stringContaining('metadata.name: Invalid value: "other": field is immutable'),
    ]);
  });

  test("a create is renamed", async () => {
    const answer = await write("create", "metadata/name", "renamed");
    expect([answer.status, read(answer).metadata.name]).toEqual([201, "renamed"]);
    expect((await server.send("GET", `${MAPS}/renamed`)).status).toBe(200);
  });

  // A real server stores the object with one name under the key of the other.
  test.each(NEW_BY_NAME)("%s is refused, because another name was authorized", async (which) => {
    const answer = await write(which, "metadata/name", "stray");
    expect([answer.status, read(answer).message]).toEqual([
      400,
      expect.stringMatching(/^the name of the object \(stray\) does not match the name on the URL/),
    ]);
    expect((await server.send("GET", `${MAPS}/stray`)).status).toBe(404);
  });
});

describe("metadata of the server", () => {
  test("a resourceVersion of a new object is refused", async () => {
    const answer = await write("create", "metadata/resourceVersion", "77");
    expect([answer.status, read(answer).message]).toEqual([
      500,
      "resourceVersion should not be set on objects to be created",
    ]);
  });

  test.each([
    ["uid", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"],
    ["creationTimestamp", "2001-01-01T00:00:00Z"],
    ["selfLink", "/x"],
  ])("%s of a new object is that of the server", async (member, value) => {
    const answer = await write("create", `metadata/${member}`, value);
    expect([answer.status, answer.text.includes(value)]).toEqual([201, false]);
  });

  test("the uid of an object is immutable", async () => {
    const answer = await write("patch", "metadata/uid", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee");
    expect([answer.status, read(answer).message]).toEqual([422, expect.stringContaining("metadata.uid")]);
  });
});

describe("subresources", () => {
  test("a Scale of another object is refused", async () => {
    const scale = async (path: string, value: string) => {
      operations = [{ op: "add", path, value }];
      const { status } = await server.send(
        ...(["PATCH", `${DEPLOYMENTS}/d/scale`, { spec: { replicas: 3 } }] as const),
        { type: MERGE },
      );
      return status;
    };
    expect(await scale("/kind", "Secret")).toBe(500);
    expect(await scale("/metadata/uid", "another")).toBe(409);
    expect(await scale("/metadata/resourceVersion", "1")).toBe(409);
    expect(await scale("/metadata/name", "")).toBe(422);
    const { spec } = read(await server.send("GET", `${DEPLOYMENTS}/d`));
    expect(spec.replicas).toBe(1);
  });

  test("a token for another account is refused", async () => {
    const token = async (metadata: object = {}) => {
      const { status, text } = await server.send("POST", ACCOUNT_TOKEN, { metadata, spec: {} });
      return [status, JSON.parse(text).kind];
    };
    expect(await token({ uid: "another" })).toEqual([409, "Status"]);
    operations = [{ op: "add", path: "/metadata/uid", value: "another" }];
    expect(await token()).toEqual([409, "Status"]);
    operations = [{ op: "add", path: "/metadata/name", value: "other" }];
    expect(await token()).toEqual([422, "Status"]);
    operations = [{ op: "add", path: "/kind", value: "Secret" }];
    expect(await token()).toEqual([500, "Status"]);
  });
});
