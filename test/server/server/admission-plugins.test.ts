// The plugins that are on without being asked for, seen at what a server makes of a new object.
import { afterEach, beforeEach, expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { createServer, type Server } from "../../../src/server/server.ts";
import { MEMORY_SERVER } from "../../support/memory-server.ts";

const usual: KubeObject = {
  apiVersion: "networking.k8s.io/v1",
  kind: "IngressClass",
  metadata: { name: "usual", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
  spec: { controller: "example.com/ingress" },
};
const options = {
  ...MEMORY_SERVER,
  enableAdmissionPlugins: ["DefaultIngressClass"],
};

let server: Server;
beforeEach(async () => {
  server = await createServer(options, { objects: [usual] });
});
afterEach(() => server.close());

const make = async (path: string, object: object): Promise<KubeObject> => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(object) });
  return (await answer.json()) as KubeObject; // it was made
};

test("DefaultIngressClass, which may be named all the same", async () => {
  const spec = { defaultBackend: { service: { name: "web", port: { number: 80 } } } };
  const ingress = { metadata: { name: "a" }, spec };
  expect(await make("/apis/networking.k8s.io/v1/namespaces/default/ingresses", ingress)).toMatchObject({
    spec: { ...spec, ingressClassName: "usual" },
  });
});

test("Priority", async () => {
  const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "i" }] } };
  expect(await make("/api/v1/namespaces/default/pods", pod)).toMatchObject({
    spec: { priority: 0, preemptionPolicy: "PreemptLowerPriority" },
  });
});
