import { afterEach, beforeEach, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { createServiceAccount } from "../../../../src/kube/admission/service-account.ts";
import { TestApi } from "../endpoints/support.ts";
import { NAMESPACE, pod } from "./support.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.open();
  api.admission.push(createServiceAccount({ store: api.store }, 0));
});
afterEach(() => api[Symbol.asyncDispose]());

const account = (name: string, more: JsonObject = {}, metadata: JsonObject = {}) =>
  api.post(`${NAMESPACE}/serviceaccounts`, { metadata: { name, ...metadata }, ...more });
const make = (spec: JsonObject = {}, metadata: JsonObject = {}) =>
  api.post(`${NAMESPACE}/pods`, pod("a", spec, metadata));
const specOf = async (spec: JsonObject = {}) => (await make(spec)).body["spec"] as JsonObject;
const reasonOf = async (spec: JsonObject, metadata: JsonObject = {}) =>
  (await make(spec, metadata)).body["message"];

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

test("a Pod that names no account runs under the default one, with its token and secrets", async () => {
  await account("default", { imagePullSecrets: [{ name: "pull" }] });
  const spec = await specOf({ initContainers: [{ name: "i", image: "i:1" }] });
  const name = (spec["volumes"] as JsonObject[])[0]?.["name"];
  expect(name).toMatch(/^kube-api-access-.{5}$/);
  const mounts = [{ name, readOnly: true, mountPath: TOKEN_PATH }];
  expect(spec).toMatchObject({
    serviceAccountName: "default",
    serviceAccount: "default",
    imagePullSecrets: [{ name: "pull" }],
    containers: [{ volumeMounts: mounts }],
    initContainers: [{ volumeMounts: mounts }],
    volumes: [
      {
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            {
              downwardAPI: {
                items: [
                  { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
                ],
              },
            },
          ],
        },
      },
    ],
  });
});

test.each<[string, JsonObject, JsonObject, boolean]>([
  ["the account declines", { automountServiceAccountToken: false }, {}, false],
  ["the Pod declines", {}, { automountServiceAccountToken: false }, false],
  [
    "the Pod wants it all the same",
    { automountServiceAccountToken: false },
    { automountServiceAccountToken: true },
    true,
  ],
])("a token is mounted as %s", async (_what, ofAccount, spec, expected) => {
  await account("default", ofAccount);
  expect("volumes" in (await specOf(spec))).toBe(expected);
});

test("who has mounted something there keeps it", async () => {
  await account("default");
  const volumeMounts = [{ name: "own", mountPath: TOKEN_PATH }];
  const volumes = [{ name: "own", emptyDir: {} }];
  const spec = await specOf({ containers: [{ name: "c", image: "i:1", volumeMounts }], volumes });
  expect(spec["volumes"]).toEqual(volumes);
});

test("an account must be there", async () => {
  for (const [name, spec] of [
    ["default", {}],
    ["x", { serviceAccountName: "x" }],
  ] as const)
    expect(await reasonOf(spec)).toBe(
      `pods "a" is forbidden: error looking up service account default/${name}: serviceaccount "${name}" not found`,
    );
});

test("some accounts allow only the secrets that they name", async () => {
  await account(
    "default",
    { secrets: [{ name: "s" }] },
    { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
  );
  const rule = "is not allowed because service account default does not reference that";
  const volumes = [{ name: "v", secret: { secretName: "x" } }];
  expect(await reasonOf({ volumes })).toBe(
    `pods "a" is forbidden: volume with secret.secretName="x" ${rule} secret`,
  );
  const env = [{ name: "E", valueFrom: { secretKeyRef: { name: "y", key: "k" } } }];
  expect(await reasonOf({ containers: [{ name: "c", image: "i:1", env }] })).toBe(
    `pods "a" is forbidden: container c with envVar E referencing secret.secretName="y" ${rule} secret`,
  );
  expect(await reasonOf({ imagePullSecrets: [{ name: "p" }] })).toBe(
    `pods "a" is forbidden: imagePullSecrets[0].name="p" ${rule} imagePullSecret`,
  );
  expect((await make({ volumes: [{ name: "v", secret: { secretName: "s" } }] })).status).toBe(201);
});

test("the picture of what a node runs by itself refers to nothing", async () => {
  const annotations = { "kubernetes.io/config.mirror": "m" };
  expect(await reasonOf({ serviceAccountName: "x" }, { annotations })).toBe(
    'pods "a" is forbidden: a mirror pod may not reference service accounts',
  );
  const volumes = [{ name: "v", secret: { secretName: "x" } }];
  expect(await reasonOf({ volumes }, { annotations })).toBe(
    'pods "a" is forbidden: a mirror pod may not reference secrets',
  );
});
