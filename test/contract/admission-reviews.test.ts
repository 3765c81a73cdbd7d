// Requests other than writes of stored objects that call admission webhooks, how often, and the content of their reviews.
import request from "supertest";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/apimachinery/json/json.ts";
import { createServer, type Server } from "../../src/server/server.ts";
import { WebhookServer } from "../unit/apiserver/apiextensions/webhook-server.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

let server: Server;
let webhook: WebhookServer;
let reviews: JsonObject[] = [];
let patches: JsonObject[] = [];

beforeAll(async () => {
  const options = { listen: "127.0.0.1:0", inMemory: true, kubeconfig: undefined, controllers: "" };
  server = await createServer(options);
  webhook = await WebhookServer.open();
  webhook.answer = (review) => {
    reviews.push(review.request);
    const patch = Buffer.from(JSON.stringify(patches)).toString("base64");
    const patched = patches.length > 0 ? { patchType: "JSONPatch", patch } : {};
    const response = { uid: review.request.uid, allowed: true, ...patched };
    return { body: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response } };
  };
});
afterAll(async () => {
  await server?.close();
  await webhook?.[Symbol.asyncDispose]();
});
afterEach(async () => {
  for (const kind of ["mutating", "validating"])
    await call("delete", `${GROUP}/${kind}webhookconfigurations`);
  await call("delete", `${PODS}?gracePeriodSeconds=0`);
  [reviews, patches] = [[], []];
});

const call = (method: "get" | "post" | "put" | "patch" | "delete", path: string) =>
  request(server.url)[method](path);

/** Registers a webhook for everything and clears its recorded calls. */
async function watchAll(kind: "mutating" | "validating"): Promise<void> {
  const rule = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] };
  const clientConfig = { url: webhook.url, caBundle: webhook.caBundle };
  const hook = { name: "all.example.com", clientConfig, rules: [rule], sideEffects: "None" };
  await call("post", `${GROUP}/${kind}webhookconfigurations`)
    .send({ metadata: { name: kind }, webhooks: [{ ...hook, admissionReviewVersions: ["v1"] }] })
    .expect(201);
  reviews = [];
}

async function makePod(name: string, spec: JsonObject = {}): Promise<void> {
  const body = { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
  await call("post", PODS).send(body).expect(201);
}

const seen = (): unknown[] => reviews.map(({ operation, subResource }) => [operation, subResource ?? ""]);
const at = (index: number, part: string): JsonObject => (reviews[index]?.[part] ?? {}) as JsonObject;

describe("connections", () => {
  test("their options are the object, whatever stands behind them", async () => {
    await makePod("p", { nodeName: "nowhere" });
    await watchAll("validating");
    await call("post", `${PODS}/p/exec?command=ls&command=-l&stdin=true&tty=0`).expect(404);
    await call("post", `${PODS}/p/portforward?ports=80,443&ports=8080`).expect(404);
    await call("get", `${PODS}/none/proxy/a/b/?path=ignored`).expect(404);
    await call("get", "/api/v1/nodes/none/proxy/metrics").expect(404);
    const head = { apiVersion: "v1" };
    expect(reviews.map(({ object }) => object)).toEqual([
      { ...head, kind: "PodExecOptions", stdin: true, command: ["ls", "-l"] },
      { ...head, kind: "PodPortForwardOptions", ports: [80, 443, 8080] },
      { ...head, kind: "PodProxyOptions", path: "/a/b/" },
      { ...head, kind: "NodeProxyOptions", path: "/metrics" },
    ]);
    expect(reviews[0]).toMatchObject({ operation: "CONNECT", name: "p", options: null, oldObject: null });
    expect(at(0, "kind")).toEqual({ group: "", version: "v1", kind: "PodExecOptions" });
  });

  test("a mutation decides which container is connected to", async () => {
    await makePod("p");
    await watchAll("mutating");
    patches = [{ op: "add", path: "/container", value: "other" }];
    const { body } = await call("post", `${PODS}/p/exec?command=ls`).expect(400);
    expect(body.message).toBe("container other is not valid for pod p");
  });

  test("ports that are no numbers are refused before, logs are no connections", async () => {
    await makePod("p");
    await watchAll("validating");
    const { body } = await call("post", `${PODS}/p/portforward?ports=x`).expect(400);
    expect(body.message).toBe('cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax');
    await call("get", `${PODS}/p/log`);
    expect(seen()).toEqual([]);
  });
});

test("reviews are seen by webhooks once the question is well put, and not by policies", async () => {
  const rules = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] };
  const spec = {
    matchConstraints: { resourceRules: [{ ...rules, apiGroups: ["authorization.k8s.io"] }] },
    validations: [{ expression: "false" }],
  };
  const policies = `${GROUP}/validatingadmissionpolicies`;
  await call("post", policies)
    .send({ metadata: { name: "p" }, spec })
    .expect(201);
  await call("post", `${GROUP}/validatingadmissionpolicybindings`)
    .send({ metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } })
    .expect(201);
  await watchAll("validating");
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  await call("post", path).send({ spec: {} }).expect(422);
  await call("post", path)
    .send({ spec: { resourceAttributes: { verb: "get", resource: "pods" } } })
    .expect(201);
  await call("post", "/apis/authentication.k8s.io/v1/selfsubjectreviews").send({}).expect(201);
  expect(reviews.map(({ object }) => (object as JsonObject)["status"])).toEqual([
    { allowed: false },
    { userInfo: {} },
  ]);
  await call("delete", policies).expect(200);
});

describe("deletion", () => {
  test("of a running pod: one round with its grace period, none while it waits, two at the end", async () => {
    await makePod("p", { nodeName: "n" });
    await watchAll("validating");
    await call("delete", `${PODS}/p`).expect(200);
    expect(at(0, "options")).toMatchObject({ kind: "DeleteOptions", gracePeriodSeconds: 30 });
    await call("delete", `${PODS}/p`).expect(200);
    await call("delete", PODS).expect(200);
    expect(seen()).toEqual([["DELETE", ""]]);
    await call("delete", `${PODS}/p?gracePeriodSeconds=0`).expect(200);
    expect(seen()).toHaveLength(3);
    expect(at(2, "oldObject")["metadata"]).toMatchObject({ deletionGracePeriodSeconds: 0 });
  });

  test("of a pod without a node lasts no time, of a collection has no name", async () => {
    await makePod("p");
    await makePod("q");
    await watchAll("validating");
    await call("delete", `${PODS}/p`).expect(200);
    expect(reviews.map(({ options }) => (options as JsonObject)["gracePeriodSeconds"])).toEqual([0, 0]);
    reviews = [];
    await call("delete", PODS).expect(200);
    expect(reviews.map(({ name, options }) => [name, options])).toEqual(
      [1, 2].map(() => [undefined, { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" }]),
    );
  });

  test("of a Namespace names its uid", async () => {
    const { body } = await call("post", "/api/v1/namespaces").send({ metadata: { name: "gone" } });
    await watchAll("validating");
    await call("delete", "/api/v1/namespaces/gone").expect(200);
    expect(at(0, "options")["preconditions"]).toEqual({ uid: body.metadata.uid });
    await call("delete", "/api/v1/namespaces/gone").expect(200);
    expect(seen()).toHaveLength(1);
  });
});

describe("what is posted below an object", () => {
  test("an eviction asks for nothing else", async () => {
    await makePod("p");
    await watchAll("validating");
    await call("post", `${PODS}/p/eviction?dryRun=All`)
      .send({ metadata: { name: "p" }, deleteOptions: { gracePeriodSeconds: 3 } })
      .expect(201);
    await call("post", `${PODS}/p/eviction`)
      .send({ metadata: { name: "p" } })
      .expect(201);
    expect(seen()).toEqual([
      ["CREATE", "eviction"],
      ["CREATE", "eviction"],
    ]);
    expect(at(0, "object")["deleteOptions"]).toEqual({ gracePeriodSeconds: 3, dryRun: ["All"] });
  });

  test("what cannot be done is refused before validating webhooks", async () => {
    await makePod("p");
    await watchAll("validating");
    const binding = { metadata: { name: "q" }, target: { kind: "Node", name: "n" } };
    await call("post", `${PODS}/p/binding`).send(binding).expect(400);
    await call("post", `${PODS}/p/eviction`)
      .send({ metadata: { name: "q" } })
      .expect(400);
    await call("post", "/api/v1/namespaces/default/serviceaccounts/none/token").send({}).expect(404);
    expect(seen()).toEqual([]);
  });

  test("a binding of the namespace has the name of the pod, a token that of its account", async () => {
    await makePod("p");
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const { body: account } = await call("post", accounts).send({ metadata: { name: "a" } });
    await watchAll("validating");
    const binding = { metadata: { name: "p" }, target: { kind: "Node", name: "n" } };
    await call("post", "/api/v1/namespaces/default/bindings").send(binding).expect(201);
    expect(reviews[0]).toMatchObject({ name: "p", resource: { resource: "bindings" } });
    await call("post", `${accounts}/a/token`).send({}).expect(201);
    expect(at(1, "object")).toMatchObject({
      metadata: { name: "a", namespace: "default", uid: account.metadata.uid },
      spec: { audiences: ["https://kubernetes.default.svc.cluster.local"], boundObjectRef: null },
      status: { token: "", expirationTimestamp: null },
    });
  });
});

test("a Scale is what was sent until it is validated, then what the object says", async () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 1, selector: { matchLabels: { a: "b" } }, template };
  await call("post", DEPLOYMENTS)
    .send({ metadata: { name: "d" }, spec })
    .expect(201);
  await watchAll("mutating");
  await watchAll("validating");
  const scale = { metadata: { name: "d", namespace: "default" }, spec: { replicas: 2 } };
  await call("put", `${DEPLOYMENTS}/d/scale`).send(scale).expect(200);
  const [sent, read] = [at(0, "object"), at(1, "object")];
  expect(sent["metadata"]).not.toHaveProperty("uid");
  expect(sent["metadata"]).toHaveProperty("managedFields");
  expect(read["metadata"]).toHaveProperty("uid");
  expect(read["metadata"]).not.toHaveProperty("managedFields");
  expect(read["status"]).toEqual({ replicas: 0, selector: "a=b" });
  await call("patch", `${DEPLOYMENTS}/d/scale`)
    .set("content-type", "application/merge-patch+json")
    .send({ spec: { replicas: -1 } })
    .expect(422);
  expect(reviews).toHaveLength(3);
  await call("delete", `${DEPLOYMENTS}/d`).expect(200);
});

test("a webhook that renames the object does not rename the request", async () => {
  await watchAll("mutating");
  await watchAll("validating");
  patches = [{ op: "replace", path: "/metadata/name", value: "other" }];
  const maps = "/api/v1/namespaces/default/configmaps";
  await call("post", maps)
    .send({ metadata: { name: "given" } })
    .expect(500); // the validating webhook must not patch
  expect(reviews.map(({ name }) => name)).toEqual(["given", "given"]);
});

test("what a server reads into a stored object is not there before", async () => {
  await watchAll("validating");
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const { body } = await call("post", jobs).send({ metadata: { name: "j" }, spec: { template } });
  expect(body.metadata.labels).toHaveProperty("job-name", "j");
  expect(at(0, "object")["metadata"]).not.toHaveProperty("labels");
});

test("an autoscaler of v1 has its default before admission", async () => {
  await watchAll("mutating");
  const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
  const path = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers?dryRun=All";
  await call("post", path)
    .send({ metadata: { name: "h" }, spec: { maxReplicas: 2, scaleTargetRef } })
    .expect(201);
  expect(at(0, "object")["spec"]).toMatchObject({ targetCPUUtilizationPercentage: 80 });
});
