import { expect, test } from "vitest";
import { rootCaPublisher } from "../../../../../src/kube/controllers/in-each-namespace.ts";
import { ApiWorld, CONFIG_MAPS, NAMESPACES } from "../../../../support/api-world.ts";
import { inA } from "../endpoints/support.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
const NAME = "kube-root-ca.crt";

const open = (authority?: string): Promise<ApiWorld> =>
  ApiWorld.open([{ ...rootCaPublisher, create: (deps) => rootCaPublisher.create({ ...deps, authority }) }]);

test("each namespace has the authority in a ConfigMap that says what it is for", async () => {
  const world = await open(PEM);
  await world.create(NAMESPACES, { name: "later" });
  await world.settled();
  for (const namespace of ["default", "a", "b", "later"]) {
    const found = await world.get(CONFIG_MAPS, { namespace, name: NAME });
    expect(found?.["data"]).toEqual({ "ca.crt": PEM });
    expect(found?.metadata.annotations?.["kubernetes.io/description"]).toBeTruthy();
  }
});

test("a server that speaks plain HTTP has no authority to tell", async () => {
  const world = await open();
  await world.settled();
  expect((await world.get(CONFIG_MAPS, inA(NAME)))?.["data"]).toEqual({ "ca.crt": "" });
});

test("it is brought back when somebody changes or deletes it; what else is there stays", async () => {
  const world = await open(PEM);
  await world.settled();
  const patch = {
    metadata: { labels: { own: "x" }, annotations: null },
    data: { "ca.crt": "no", more: "x" },
  };
  await world.client.patch(CONFIG_MAPS, inA(NAME), { type: "merge", body: patch });
  await world.settled();
  const mended = await world.get(CONFIG_MAPS, inA(NAME));
  expect(mended?.["data"]).toEqual({ "ca.crt": PEM });
  expect(mended?.metadata.labels).toEqual({ own: "x" });
  await world.client.delete(CONFIG_MAPS, inA(NAME));
  await world.settled();
  expect((await world.get(CONFIG_MAPS, inA(NAME)))?.["data"]).toEqual({ "ca.crt": PEM });
});

test("other ConfigMaps are not its business", async () => {
  const world = await open(PEM);
  await world.create(CONFIG_MAPS, { name: "other", namespace: "a" }, { data: { a: "b" } });
  await world.settled();
  expect((await world.get(CONFIG_MAPS, inA("other")))?.["data"]).toEqual({ a: "b" });
});
