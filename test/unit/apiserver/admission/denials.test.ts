// Admission plugins that deny all writes or external IPs, and AlwaysPullImages, which changes the pull policy of images.
import { afterEach, beforeEach, expect, test } from "vitest";
import { createAlwaysDeny } from "../../../../src/kube/admission/always-deny.ts";
import { createAlwaysPullImages } from "../../../../src/kube/admission/always-pull-images.ts";
import { createDenyServiceExternalIps } from "../../../../src/kube/admission/external-ips.ts";
import { MERGE_PATCH, STRATEGIC_PATCH, TestApi } from "../endpoints/support.ts";
import { NAMESPACE, pod } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const patch = (path: string, body: object, type = MERGE_PATCH) =>
  api.send("PATCH", path, { body, headers: { "content-type": type } });

test("AlwaysDeny rejects writes, connections and reviews, and reads pass", async () => {
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
  await api.post(`${NAMESPACE}/configmaps`, configMap);
  await api.post(`${NAMESPACE}/pods`, pod("p"));
  api.admission.push(createAlwaysDeny());
  const denied = (what: string) => ({
    status: 403,
    body: { message: `${what} is forbidden: admission control is denying all modifications` },
  });
  expect(await api.post(`${NAMESPACE}/configmaps`, configMap)).toMatchObject(denied('configmaps "a"'));
  expect(await patch(`${NAMESPACE}/configmaps/a`, { data: { a: "b" } })).toMatchObject(
    denied('configmaps "a"'),
  );
  expect(await api.send("DELETE", `${NAMESPACE}/configmaps/a`)).toMatchObject(denied('configmaps "a"'));
  expect(await api.send("DELETE", `${NAMESPACE}/configmaps`)).toMatchObject(denied('configmaps "Unknown"'));
  expect(await api.get(`${NAMESPACE}/pods/p/exec?command=a`)).toMatchObject(denied('pods "p"'));
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" };
  const spec = { resourceAttributes: { verb: "get" } };
  expect(
    await api.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { ...review, spec }),
  ).toMatchObject(denied('selfsubjectaccessreviews.authorization.k8s.io "Unknown"'));
  expect((await api.get(`${NAMESPACE}/configmaps/a`)).status).toBe(200);
});

const service = (name: string, externalIPs: string[]) => ({
  ...{ apiVersion: "v1", kind: "Service", metadata: { name } },
  spec: { ports: [{ port: 80 }], externalIPs },
});

test("DenyServiceExternalIPs lets a Service keep its external IPs, and get no others", async () => {
  const path = `${NAMESPACE}/services`;
  await api.post(path, service("old", ["192.0.2.1", "192.0.2.2"]));
  api.admission.push(createDenyServiceExternalIps());
  const denied = (name: string) => ({
    status: 403,
    body: { message: `services "${name}" is forbidden: Use of external IPs is denied by admission control` },
  });
  expect(await api.post(path, service("new", ["192.0.2.1"]))).toMatchObject(denied("new"));
  expect((await api.post(path, service("none", []))).status).toBe(201);
  const externalIPs = (...ips: string[]) => patch(`${path}/old`, { spec: { externalIPs: ips } });
  expect((await externalIPs("192.0.2.2")).status).toBe(200);
  expect(await externalIPs("192.0.2.2", "192.0.2.3")).toMatchObject(denied("old"));
  expect((await api.send("DELETE", `${path}/old`)).status).toBe(200);
});

test("AlwaysPullImages sets the policy of containers and image volumes", async () => {
  api.admission.push(createAlwaysPullImages());
  const volumes = [{ name: "v", image: { reference: "r:1", pullPolicy: "Never" } }];
  const containers = [{ name: "c", image: "i:1", imagePullPolicy: "Never" }];
  const initContainers = [{ name: "i", image: "x:1" }];
  const { body } = await api.post(`${NAMESPACE}/pods`, pod("p", { containers, initContainers, volumes }));
  expect(body["spec"]).toMatchObject({
    containers: [{ imagePullPolicy: "Always" }],
    initContainers: [{ imagePullPolicy: "Always" }],
    volumes: [{ image: { pullPolicy: "Always" } }],
  });
});

test("AlwaysPullImages leaves an update without a new image alone", async () => {
  await api.post(
    `${NAMESPACE}/pods`,
    pod("p", { containers: [{ name: "c", image: "i:1", imagePullPolicy: "Always" }] }),
  );
  api.admission.push(createAlwaysPullImages());
  const set = (image: string) =>
    patch(
      `${NAMESPACE}/pods/p`,
      { spec: { containers: [{ name: "c", image, imagePullPolicy: "Never" }] } },
      STRATEGIC_PATCH,
    );
  expect((await set("i:2")).body["spec"]).toMatchObject({
    containers: [{ image: "i:2", imagePullPolicy: "Always" }],
  });
  expect((await set("i:2")).status).toBe(422); // the policy of a Pod may not change
});
