// Faults and real clients: the JavaScript client's informer and kubectl recover as with a kube-apiserver.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as k8s from "@kubernetes/client-node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Server } from "../../../src/server/server.ts";
import { eventually } from "../../support/eventually.ts";
import { Kubectl, kubectlProblem } from "../../support/kubectl.ts";
import { ask, CONFIG_MAPS, create, start } from "./fault-server.ts";

let folder: string;
let server: Server;
let config: k8s.KubeConfig;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "egret-faults-"));
  const kubeconfig = join(folder, "kubeconfig");
  server = await start({ kubeconfig });
  config = new k8s.KubeConfig();
  config.loadFromFile(kubeconfig);
});
afterEach(() => server.control.faults.clear());
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

describe("an informer of the JavaScript client", () => {
  const core = () => config.makeApiClient(k8s.CoreV1Api);

  /** One for a namespace of its own, which is started anew when it breaks off, as its authors advise. */
  async function follow(namespace: string) {
    await core().createNamespace({ body: { metadata: { name: namespace } } });
    const list = () => core().listNamespacedConfigMap({ namespace });
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const informer = k8s.makeInformer<k8s.V1ConfigMap>(config, path, list);
    const added: string[] = [];
    informer.on("add", ({ metadata }) => void added.push(metadata?.name ?? ""));
    informer.on("error", () => void informer.start());
    await informer.start();
    const sees = (name: string) =>
      eventually(
        () => informer.get(name, namespace)?.metadata?.name,
        (found) => found === name,
      );
    const make = (name: string) =>
      core().createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
    return { informer, added, sees, make };
  }

  test.each(["cut", "reset", "close", "end", "expired"] as const)("goes on after: %s", async (how) => {
    const { informer, added, sees, make } = await follow(how);
    try {
      await make("before");
      await sees("before");
      const fault = server.control.faults.add({
        match: { verb: "watch", namespace: how },
        watchEnd: { how },
        count: 1,
      });
      await make("during");
      await eventually(
        () => server.control.faults.get(fault.id)?.fired,
        (fired) => fired === 1,
      );
      await make("after");
      await sees("during");
      await sees("after");
      expect(added).toEqual(["before", "during", "after"]);
    } finally {
      await informer.stop();
    }
  });

  test("takes events that come twice for one", async () => {
    const { informer, added, sees, make } = await follow("twice");
    try {
      server.control.faults.add({ match: { namespace: "twice" }, duplicateEvents: {} });
      await make("double");
      await make("behind");
      await sees("behind");
      expect(added).toEqual(["double", "behind"]);
    } finally {
      await informer.stop();
    }
  });

  test("gets an error with the Status in it", async () => {
    server.control.faults.add({ match: { verb: "create", name: "refused" }, error: { code: 409 }, count: 1 });
    const body = { metadata: { name: "refused" } };
    const make = () => core().createNamespacedConfigMap({ namespace: "default", body });
    await expect(make()).rejects.toMatchObject({ code: 409, body: expect.stringContaining('"Conflict"') });
    await expect(make()).resolves.toBeDefined();
  });
});

describe.skipIf(kubectlProblem() !== undefined)("kubectl", () => {
  const kubectl = () => new Kubectl(join(folder, "kubeconfig"), folder);

  test("comes again after 429, when it is told to", async () => {
    await create(server, "asked-twice");
    const { last } = server.control.requests;
    server.control.faults.add({
      match: { resource: "configmaps", userAgent: "kubectl/*" },
      error: { code: 429, retryAfterSeconds: 1 },
      count: 1,
    });
    expect(await kubectl().text(["get", "configmap", "asked-twice", "-o", "name"])).toBe(
      "configmap/asked-twice\n",
    );
    const asked = server.control.requests.entries({ since: last, resource: "configmaps" });
    expect(asked.map(({ status }) => status)).toEqual([429, 200]);
    expect(Date.parse(asked[1]?.time ?? "") - Date.parse(asked[0]?.time ?? "")).toBeGreaterThanOrEqual(990);
  });

  test("says what it was told", async () => {
    server.control.faults.add({ match: { userAgent: "kubectl/*", verb: "delete" }, error: { code: 500 } });
    await create(server, "undeletable");
    const { code, stderr } = await kubectl().run(["delete", "configmap", "undeletable"]);
    expect(code).toBe(1);
    expect(stderr).toContain("Error from server (InternalError): ");
    expect((await ask(server, `${CONFIG_MAPS}/undeletable`)).status).toBe(200);
  });
});
