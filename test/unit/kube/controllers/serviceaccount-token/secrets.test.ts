// Secrets of type kubernetes.io/service-account-token, with the behavior of upstream's tokens controller.
import { expect, test } from "vitest";
import { serviceAccountToken } from "../../../../../src/kube/controllers/serviceaccount-token.ts";
import { ApiWorld, core } from "../../../../support/api-world.ts";
import { inA } from "../endpoints/support.ts";

const ACCOUNTS = core("serviceaccounts");
const SECRETS = core("secrets");
const TYPE = "kubernetes.io/service-account-token";
const ACCOUNT = "kubernetes.io/service-account.name";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const openWorld = (): Promise<ApiWorld> =>
  ApiWorld.open([
    {
      ...serviceAccountToken,
      create: (deps) =>
        serviceAccountToken.create({
          ...deps,
          authority: "the CA",
          signSecretToken: ({ namespace, secret, account: { name, uid } }) =>
            `token of ${namespace}/${name} ${uid} in ${secret}`,
        }),
    },
  ]);

async function withSecret(more: object = {}, data: object = {}): Promise<ApiWorld> {
  const world = await openWorld();
  await world.create(ACCOUNTS, { namespace: "a", name: "robot" });
  await makeSecret(world, more, data);
  await world.settled();
  return world;
}

const makeSecret = (world: ApiWorld, annotations: object = {}, data: object = {}) =>
  world.client.create(SECRETS, {
    metadata: { namespace: "a", name: "s", annotations: { [ACCOUNT]: "robot", ...annotations } },
    type: TYPE,
    data,
  });

test("a Secret gets a token, the CA and its namespace, and the uid of the account", async () => {
  const world = await withSecret();
  const secret = await world.get(SECRETS, inA("s"));
  const { uid } = (await world.get(ACCOUNTS, inA("robot")))?.metadata ?? {};
  expect(secret?.metadata.annotations).toEqual({
    [ACCOUNT]: "robot",
    "kubernetes.io/service-account.uid": uid,
  });
  expect(secret?.["data"]).toEqual({
    "ca.crt": base64("the CA"),
    namespace: base64("a"),
    token: base64(`token of a/robot ${uid} in s`),
  });
});

test("what it holds already stays, but another CA is replaced", async () => {
  const world = await withSecret(
    {},
    { token: base64("own"), namespace: base64("b"), "ca.crt": base64("old") },
  );
  expect((await world.get(SECRETS, inA("s")))?.["data"]).toEqual({
    "ca.crt": base64("the CA"),
    namespace: base64("b"),
    token: base64("own"),
  });
});

test("it goes with its account, and one of another account of the name goes at once", async () => {
  const world = await withSecret();
  await world.client.delete(ACCOUNTS, inA("robot"));
  await world.settled();
  expect(await world.get(SECRETS, inA("s"))).toBeUndefined();
  await makeSecret(world);
  await world.settled();
  expect(await world.get(SECRETS, inA("s"))).toBeUndefined();
  await world.create(ACCOUNTS, { namespace: "a", name: "robot" });
  await makeSecret(world, { "kubernetes.io/service-account.uid": "another" });
  await world.settled();
  expect(await world.get(SECRETS, inA("s"))).toBeUndefined();
});

test("an account no longer lists a Secret that was deleted", async () => {
  const world = await withSecret();
  const account = await world.client.get(ACCOUNTS, inA("robot"));
  await world.client.update(ACCOUNTS, { ...account, secrets: [{ name: "s" }, { name: "other" }] });
  await world.client.delete(SECRETS, inA("s"));
  await world.settled();
  expect((await world.get(ACCOUNTS, inA("robot")))?.["secrets"]).toEqual([{ name: "other" }]);
});

test("Secrets of other types stay as they are", async () => {
  const world = await openWorld();
  await world.client.create(SECRETS, {
    metadata: { namespace: "a", name: "s", annotations: { [ACCOUNT]: "robot" } },
  });
  await world.settled();
  expect((await world.get(SECRETS, inA("s")))?.["data"]).toBeUndefined();
});
