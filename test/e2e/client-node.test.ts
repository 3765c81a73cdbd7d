// Controllers in JavaScript use @kubernetes/client-node: its typed and dynamic calls, its patches, informers and watches
// against the built server.
import * as k8s from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientSession } from "../support/client-node.ts";
import { eventually } from "../support/eventually.ts";

const NAMESPACE = "default";
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

interface EgressIp extends k8s.KubernetesObject {
  spec?: { egressIPs?: string[]; namespaceSelector?: object; podSelector?: object };
  status?: { items?: object[] };
}

let session: ClientSession;

beforeAll(async () => {
  session = await ClientSession.start(["--controllers=namespace,garbage-collector"]);
});
afterAll(() => session?.close());

const configMap = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: NAMESPACE, labels },
  data,
});

const egressIp = (name: string, address: string): EgressIp & { metadata: { name: string } } => ({
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { name },
  spec: { egressIPs: [address], namespaceSelector: { matchLabels: { team: "web" } } },
});

/** The Status in what was thrown. */
async function refusal(call: Promise<unknown>): Promise<{ code: number; reason?: string; message?: string }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof k8s.ApiException)) throw error;
    const { code, body } = error;
    if (typeof body !== "string") return { code, ...body };
    return { code, ...(body.startsWith("{") ? JSON.parse(body) : { message: body }) };
  }
  throw new Error("the call was not refused");
}

describe("typed calls", () => {
  test("create, read, replace and delete", async () => {
    const core = session.config.makeApiClient(k8s.CoreV1Api);
    const made = await core.createNamespacedConfigMap({
      namespace: NAMESPACE,
      body: configMap("typed", { a: "1" }),
    });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const at = { name: "typed", namespace: NAMESPACE };
    const read = await core.readNamespacedConfigMap(at);
    expect(read).toEqual(made);
    const replaced = await core.replaceNamespacedConfigMap({ ...at, body: { ...read, data: { a: "2" } } });
    expect(replaced.data).toEqual({ a: "2" });
    const stale = core.replaceNamespacedConfigMap({ ...at, body: { ...read, data: { a: "3" } } });
    expect(await refusal(stale)).toMatchObject({ code: 409, reason: "Conflict" });
    await core.deleteNamespacedConfigMap(at);
    expect(await refusal(core.readNamespacedConfigMap(at))).toMatchObject({
      code: 404,
      reason: "NotFound",
      message: 'configmaps "typed" not found',
    });
  });

  test("lists in chunks, by selectors, and deletes collections", async () => {
    const core = session.config.makeApiClient(k8s.CoreV1Api);
    for (const name of ["c1", "c2", "c3"]) {
      await core.createNamespacedConfigMap({
        namespace: NAMESPACE,
        body: configMap(name, {}, { chunk: "yes" }),
      });
    }
    const asked = { namespace: NAMESPACE, labelSelector: "chunk=yes" };
    const first = await core.listNamespacedConfigMap({ ...asked, limit: 2 });
    const rest = await core.listNamespacedConfigMap({
      ...asked,
      limit: 2,
      _continue: first.metadata?._continue ?? "",
    });
    expect([...first.items, ...rest.items].map(({ metadata }) => metadata?.name)).toEqual(["c1", "c2", "c3"]);
    expect(rest.metadata?.resourceVersion).toBe(first.metadata?.resourceVersion);
    await core.deleteCollectionNamespacedConfigMap(asked);
    expect((await core.listNamespacedConfigMap(asked)).items).toEqual([]);
  });

  test("a Lease keeps its microseconds, as leader election needs it", async () => {
    const leases = session.config.makeApiClient(k8s.CoordinationV1Api);
    const body = {
      metadata: { name: "leader", namespace: NAMESPACE },
      spec: { holderIdentity: "one", leaseDurationSeconds: 15, renewTime: new k8s.V1MicroTime() },
    };
    const made = await leases.createNamespacedLease({ namespace: NAMESPACE, body });
    expect(String(made.spec?.renewTime)).toBe(body.spec.renewTime.toISOString()); // it comes as a string
    const taken = { ...made, spec: { ...made.spec, holderIdentity: "two" } };
    const at = { name: "leader", namespace: NAMESPACE };
    expect((await leases.replaceNamespacedLease({ ...at, body: taken })).spec?.holderIdentity).toBe("two");
    expect(await refusal(leases.replaceNamespacedLease({ ...at, body: taken }))).toMatchObject({ code: 409 });
  });

  test("reviews and versions", async () => {
    const version = await session.config.makeApiClient(k8s.VersionApi).getCode();
    expect(version.major).toBe("1");
    const review = await session.config.makeApiClient(k8s.AuthorizationV1Api).createSelfSubjectAccessReview({
      body: { spec: { resourceAttributes: { verb: "get", resource: "nodes" } } },
    });
    expect(review.status?.allowed).toBe(true);
  });
});

describe("patches", () => {
  const at = { name: "patched", namespace: NAMESPACE };
  const patch = (strategy: k8s.PatchStrategy, body: unknown, more: object = {}) =>
    session.config
      .makeApiClient(k8s.CoreV1Api)
      .patchNamespacedService({ ...at, body, ...more }, k8s.setHeaderOptions("Content-Type", strategy));
  const portsOf = async (patched: ReturnType<typeof patch>) =>
    (await patched).spec?.ports?.map(({ name, port }) => `${name}:${port}`);

  beforeAll(async () => {
    const body = {
      metadata: at,
      spec: { selector: { app: "a" }, ports: [{ name: "web", port: 80 }] },
    };
    await session.config.makeApiClient(k8s.CoreV1Api).createNamespacedService({ namespace: NAMESPACE, body });
  });

  test("strategic merge goes by the key of a list", async () => {
    const body = { spec: { ports: [{ name: "tls", port: 443 }] } };
    expect(await portsOf(patch(k8s.PatchStrategy.StrategicMergePatch, body))).toEqual(["tls:443", "web:80"]);
  });

  test("merge takes a list as a whole", async () => {
    const body = { spec: { ports: [{ name: "tls", port: 443 }] }, metadata: { labels: { a: "1" } } };
    expect(await portsOf(patch(k8s.PatchStrategy.MergePatch, body))).toEqual(["tls:443"]);
  });

  test("JSON patch tests and replaces", async () => {
    const body = [
      { op: "test", path: "/spec/ports/0/port", value: 443 },
      { op: "replace", path: "/spec/ports/0/port", value: 8443 },
    ];
    expect(await portsOf(patch(k8s.PatchStrategy.JsonPatch, body))).toEqual(["tls:8443"]);
    expect(await refusal(patch(k8s.PatchStrategy.JsonPatch, body))).toMatchObject({
      code: 422,
      reason: "Invalid",
    });
  });

  test("server-side apply owns fields, and meets owners", async () => {
    const body = {
      apiVersion: "v1",
      kind: "Service",
      metadata: at,
      spec: { ports: [{ name: "metrics", port: 9090 }] },
    };
    const strategy = k8s.PatchStrategy.ServerSideApply;
    expect(await portsOf(patch(strategy, body, { fieldManager: "ann" }))).toEqual([
      "tls:8443",
      "metrics:9090",
    ]);
    const taken = { ...body, spec: { ports: [{ name: "monitor", port: 9090 }] } };
    expect(await refusal(patch(strategy, taken, { fieldManager: "bob" }))).toMatchObject({
      code: 409,
      reason: "Conflict",
      message: expect.stringContaining('conflict with "ann"'),
    });
    const forced = patch(strategy, taken, { fieldManager: "bob", force: true });
    expect(await portsOf(forced)).toEqual(["tls:8443", "monitor:9090"]);
  });
});

describe("the dynamic API", () => {
  let objects: k8s.KubernetesObjectApi;
  beforeAll(() => {
    objects = k8s.KubernetesObjectApi.makeApiClient(session.config);
  });

  test("makes, reads, changes, lists and deletes objects of any kind", async () => {
    const made = await objects.create(egressIp("dynamic", "192.0.2.1"));
    const header = { apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: "dynamic" } };
    expect(await objects.read<EgressIp>(header)).toEqual(made);
    const spec = { ...made.spec, egressIPs: ["192.0.2.2"] };
    const replaced = await objects.replace({ ...made, spec });
    expect(replaced.spec?.egressIPs).toEqual(["192.0.2.2"]);
    const { items } = await objects.list<EgressIp>("k8s.ovn.org/v1", "EgressIP");
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["dynamic"]);
    await objects.delete(header);
    expect(await refusal(objects.read(header))).toMatchObject({ code: 404, reason: "NotFound" });
  });

  test("patches in the ways that a custom resource knows", async () => {
    await objects.create(egressIp("patched", "192.0.2.3"));
    const patch = (strategy: k8s.PatchStrategy, spec: k8s.KubernetesObject, fieldManager?: string) =>
      objects.patch<EgressIp>(spec as EgressIp, undefined, undefined, fieldManager, undefined, strategy);
    const merged = await patch(k8s.PatchStrategy.MergePatch, {
      ...egressIp("patched", "192.0.2.4"),
      metadata: { name: "patched", labels: { a: "1" } },
    });
    expect([merged.spec?.egressIPs, merged.metadata?.labels]).toEqual([["192.0.2.4"], { a: "1" }]);
    const strategic = patch(k8s.PatchStrategy.StrategicMergePatch, egressIp("patched", "192.0.2.5"));
    expect(await refusal(strategic)).toMatchObject({ code: 415, reason: "UnsupportedMediaType" });
    const applied = patch(k8s.PatchStrategy.ServerSideApply, egressIp("patched", "192.0.2.6"), "ann");
    expect(await refusal(applied)).toMatchObject({ code: 409, reason: "Conflict" });
    await objects.delete(egressIp("patched", "192.0.2.4"));
  });

  test("keeps the default namespace, and finds kinds that came later", async () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "gadgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Gadget", plural: "gadgets" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    };
    await objects.create(crd);
    const definitions = session.config.makeApiClient(k8s.ApiextensionsV1Api);
    await eventually(
      () => definitions.readCustomResourceDefinition({ name: "gadgets.example.com" }),
      ({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === "Established" && is === "True") ?? false,
    );
    const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" } };
    expect((await objects.create(gadget)).metadata).toMatchObject({ namespace: "default" });
    const custom = session.config.makeApiClient(k8s.CustomObjectsApi);
    const at = { group: "example.com", version: "v1", namespace: "default", plural: "gadgets" };
    expect(await custom.listNamespacedCustomObject(at)).toMatchObject({
      items: [{ metadata: { name: "g" } }],
    });
    await definitions.deleteCustomResourceDefinition({ name: "gadgets.example.com" });
    const isServed = () =>
      custom
        .listNamespacedCustomObject(at)
        .then(() => true)
        .catch(() => false);
    await eventually(isServed, (served) => !served);
    expect(await refusal(custom.listNamespacedCustomObject(at))).toMatchObject({ code: 404 });
  });
});

describe("informers and watches", () => {
  const core = () => session.config.makeApiClient(k8s.CoreV1Api);
  const create = (body: k8s.V1ConfigMap) => core().createNamespacedConfigMap({ namespace: NAMESPACE, body });
  const setLabels = (name: string, labels: Record<string, string | null>) =>
    core().patchNamespacedConfigMap(
      { name, namespace: NAMESPACE, body: { metadata: { labels } } },
      k8s.setHeaderOptions("Content-Type", k8s.PatchStrategy.MergePatch),
    );

  /** An informer of the ConfigMaps with this label, and the events that it has reported. */
  function follow(label: string) {
    const list = () =>
      core().listNamespacedConfigMap({ namespace: NAMESPACE, labelSelector: `${label}=yes` });
    const informer = k8s.makeInformer<k8s.V1ConfigMap>(session.config, CONFIG_MAPS, list, `${label}=yes`);
    const told: string[] = [];
    for (const verb of ["add", "update", "delete"] as const) {
      informer.on(verb, ({ metadata }: k8s.V1ConfigMap) => void told.push(`${verb} ${metadata?.name}`));
    }
    const until = (line: string) =>
      eventually(
        () => told,
        (lines) => lines.includes(line),
      );
    const names = () =>
      informer
        .list()
        .map(({ metadata }) => metadata?.name ?? "")
        .sort();
    return { informer, told, until, names };
  }

  test("an informer follows what enters, changes and leaves its selection", async () => {
    await create(configMap("before", {}, { live: "yes" }));
    const { informer, told, until, names } = follow("live");
    await informer.start();
    try {
      await create(configMap("after", {}, { live: "no" }));
      await setLabels("after", { live: "yes" });
      await until("add after");
      await setLabels("after", { more: "1" });
      await until("update after");
      await setLabels("after", { live: null });
      await until("delete after");
      await core().deleteNamespacedConfigMap({ name: "before", namespace: NAMESPACE });
      await until("delete before");
    } finally {
      await informer.stop();
    }
    expect(told).toEqual(["add before", "add after", "update after", "delete after", "delete before"]);
    expect(names()).toEqual([]);
  });

  test("a watch ends when its time is over, with a bookmark before", async () => {
    const watch = new k8s.Watch(session.config);
    const { metadata } = await core().listNamespacedConfigMap({ namespace: NAMESPACE });
    const phases: string[] = [];
    const ended = new Promise<unknown>((resolve, reject) => {
      const asked = {
        resourceVersion: metadata?.resourceVersion,
        allowWatchBookmarks: true,
        timeoutSeconds: 1,
      };
      watch.watch(CONFIG_MAPS, asked, (phase) => void phases.push(phase), resolve).catch(reject);
    });
    await create(configMap("watched"));
    expect(await ended).toBeNull();
    expect(phases[0]).toBe("ADDED");
    expect(new Set(phases.slice(1))).toEqual(new Set(phases.includes("BOOKMARK") ? ["BOOKMARK"] : []));
  });

  test("a watch from a version that is gone is told so, and the informer begins anew", async () => {
    for (const name of ["kept", "lost"]) await create(configMap(name, {}, { old: "yes" }));
    const { informer, told, until, names } = follow("old");
    await informer.start();
    expect(names()).toEqual(["kept", "lost"]);
    await informer.stop();

    await core().deleteNamespacedConfigMap({ name: "lost", namespace: NAMESPACE });
    await create(configMap("new", {}, { old: "yes" }));
    await session.restartCompacted();
    const errors: unknown[] = [];
    informer.on("error", (error) => void errors.push(error));
    await informer.start(); // from where it was
    try {
      await until("add new");
      await until("delete lost");
      expect(names()).toEqual(["kept", "new"]);
      await eventually(
        () => setLabels("kept", { seen: String(told.length) }).then(() => told),
        (lines) => lines.includes("update kept"),
      );
    } finally {
      await informer.stop();
    }
    expect(errors).toEqual([]);
  });
});

test("over TLS the kubeconfig is enough as well", async () => {
  const secure = await ClientSession.start(["--controllers=namespace", "--secure"]);
  try {
    const { items } = await secure.config.makeApiClient(k8s.CoreV1Api).listNamespace();
    expect(items.map(({ metadata }) => metadata?.name)).toContain("default");
    const path = "/api/v1/namespaces";
    const phases: string[] = [];
    await new Promise<unknown>((resolve, reject) => {
      const watch = new k8s.Watch(secure.config);
      watch.watch(path, { timeoutSeconds: 1 }, (phase) => void phases.push(phase), resolve).catch(reject);
    });
    expect(phases).toEqual(items.map(() => "ADDED"));
  } finally {
    await secure.close();
  }
});
