// The protocol between suites and the executables of a control plane: that of controller-runtime's envtest and of
// kube-api-test, without either.
import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestCertificate } from "../../support/certificates.ts";
import { ControlPlane, EnvtestFolder } from "../../support/envtest/control-plane.ts";
import { eventually } from "../../support/eventually.ts";

let folder: EnvtestFolder;
beforeAll(async () => {
  folder = await EnvtestFolder.make();
});
afterAll(() => folder[Symbol.asyncDispose]());

describe("before a start", () => {
  test("etcd --help names the flag that envtest looks for, and exits 0", async () => {
    const { code, stdout } = await folder.run("etcd", ["--help"]).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\s*--unsafe-no-fsync\b/m);
  });

  test("kube-apiserver --help does not name the flag of old versions", async () => {
    const { code, stdout } = await folder.run("kube-apiserver", ["--help"]).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\s*--secure-port\b/m);
    expect(stdout).not.toMatch(/^\s*--insecure-port\b/m);
  });

  test("kube-apiserver --version is that of the API", async () => {
    const { code, stdout } = await folder.run("kube-apiserver", ["--version"]).ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Kubernetes v1\.36\.\d+\n$/),
    });
  });
});

describe("a control plane", () => {
  let plane: ControlPlane;
  let admin: TestCertificate;
  beforeAll(async () => {
    plane = await ControlPlane.start(folder);
    admin = folder.user("default", ["system:masters"]);
  });
  afterAll(() => plane?.[Symbol.asyncDispose]());

  const whoIs = async (as: TestCertificate | undefined, headers: Readonly<Record<string, string>> = {}) => {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const { code, body: text } = await plane.call(path, { as, method: "POST", body, headers });
    const { username, groups } = JSON.parse(text).status?.userInfo ?? {};
    return code === 201 ? { username, groups } : code;
  };

  test("is healthy for clients without a certificate", async () => {
    for (const path of ["/healthz", "/readyz", "/livez"])
      expect(await plane.call(path)).toMatchObject({ code: 200, body: "ok" });
  });

  test("presents the certificate of --cert-dir", async () => {
    const { fingerprint } = await plane.call("/healthz");
    expect(fingerprint).toBe(new X509Certificate(folder.serving.pem).fingerprint256);
  });

  test("a certificate of the client authority names its user, who may impersonate as a system:masters", async () => {
    const groups = ["system:masters", "system:authenticated"];
    expect(await whoIs(admin)).toEqual({ username: "default", groups });
    expect(await whoIs(admin, { "impersonate-user": "alice" })).toEqual({
      username: "alice",
      groups: ["system:authenticated"],
    });
    const bob = folder.user("bob", ["dev"]);
    expect(await whoIs(bob)).toEqual({ username: "bob", groups: ["dev", "system:authenticated"] });
    expect((await plane.call("/api/v1/secrets", { as: bob })).code).toBe(403);
  });

  test("foreign and expired certificates are refused", async () => {
    const foreign = folder.user("mallory", ["system:masters"], folder.serving);
    const expired = folder.user("default", ["system:masters"], folder.authority, Date.now() - 1000);
    expect(await whoIs(foreign)).toBe(401);
    expect(await whoIs(expired)).toBe(401);
  });

  test("has what a kube-apiserver has, and nothing of other components", async () => {
    const names = async (path: string): Promise<string[]> => {
      const { items } = JSON.parse((await plane.call(path, { as: admin })).body);
      return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort();
    };
    expect(await names("/api/v1/namespaces")).toEqual(
      ["default", "kube-node-lease", "kube-public", "kube-system"].sort(),
    );
    expect(await names("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")).toEqual([]);
    expect(await names("/api/v1/nodes")).toEqual([]);
    expect(await names("/api/v1/serviceaccounts")).toEqual([]);
    const service = await plane.call("/api/v1/namespaces/default/services/kubernetes", { as: admin });
    expect(JSON.parse(service.body).spec).toMatchObject({
      clusterIP: "10.0.0.1",
      ports: [{ port: 443, targetPort: plane.port }],
    });
  });

  test("serves a CRD soon after it was installed, and its objects outlive the API server", async () => {
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect(await plane.call(crds, { as: admin, method: "POST", body: DEFINITION })).toMatchObject({
      code: 201,
    });
    const served = () => plane.call("/apis/example.com/v1", { as: admin });
    await eventually(served, ({ code }) => code === 200);
    const path = "/apis/example.com/v1/namespaces/default/widgets";
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } };
    expect((await plane.call(path, { as: admin, method: "POST", body: widget })).code).toBe(201);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await plane.restart(signal);
      expect((await plane.call(`${path}/a`, { as: admin })).code).toBe(200);
    }
  });

  test("a deleted Namespace stays, since no controller empties it", async () => {
    const namespaces = "/api/v1/namespaces";
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "gone" } };
    await plane.call(namespaces, { as: admin, method: "POST", body: namespace });
    const { body } = await plane.call(`${namespaces}/gone`, { as: admin, method: "DELETE" });
    expect(JSON.parse(body).status).toEqual({ phase: "Terminating" });
  });

  const DEFINITION = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          },
        },
      ],
    },
  };
});

test("flags that suites add: an address for Endpoints, and how long a watch lasts", async () => {
  await using plane = await ControlPlane.start(folder, [
    ...["--advertise-address=192.0.2.7", "--min-request-timeout=1", "--feature-gates=WatchList=true"],
    ...["--runtime-config=api/all=true", "--audit-log-path=-", "--v=1"],
  ]);
  const as = folder.user("default", ["system:masters"]);
  const path = "/api/v1/namespaces/default/endpoints/kubernetes";
  expect(JSON.parse((await plane.call(path, { as })).body).subsets).toEqual([
    { addresses: [{ ip: "192.0.2.7" }], ports: [{ name: "https", port: plane.port, protocol: "TCP" }] },
  ]);
  const slice = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
  expect(JSON.parse((await plane.call(slice, { as })).body).endpoints).toEqual([
    { addresses: ["192.0.2.7"], conditions: { ready: true } },
  ]);
  const watch = await plane.call("/api/v1/configmaps?watch=1&resourceVersion=0", { as });
  expect(watch.code).toBe(200); // it has ended by itself
});

test("EGRET_CONTROLLERS runs controllers besides", async () => {
  await using plane = await ControlPlane.start(folder, [], { EGRET_CONTROLLERS: "namespace" });
  const as = folder.user("default", ["system:masters"]);
  const path = "/api/v1/namespaces/gone";
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "gone" } };
  expect((await plane.call("/api/v1/namespaces", { as, method: "POST", body })).code).toBe(201);
  await plane.call(path, { as, method: "DELETE" });
  await eventually(
    () => plane.call(path, { as }),
    ({ code }) => code === 404,
  );
});

describe("the end", () => {
  test("both processes stop at SIGTERM with exit code 0, and leave nothing", async () => {
    const plane = await ControlPlane.start(folder);
    expect(existsSync(folder.path(`plane-${plane.port}-etcd`))).toBe(true);
    expect((await plane.apiserver.stop()).code).toBe(0);
    expect((await plane.etcd.stop()).code).toBe(0);
    expect(existsSync(folder.path(`plane-${plane.port}-etcd`))).toBe(false);
    expect((await readdir(folder.path(`plane-${plane.port}`))).sort()).toEqual(CERTIFICATES);
  });

  const CERTIFICATES = [
    "apiserver.crt",
    "apiserver.key",
    "client-cert-auth-ca.crt",
    "sa-signer.crt",
    "sa-signer.key",
  ];
});
