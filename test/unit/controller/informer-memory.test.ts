// An informer of the ownership of every object, as the garbage collector uses it, holds no second copy of the objects.
import { expect, test } from "vitest";
import { encodeStored } from "../../../src/apiserver/registry/codec/object-codec.ts";
import { Informer } from "../../../src/controller/informer.ts";
import { ApiWorld, CONFIG_MAPS } from "../../support/api-world.ts";
import { heldBytes } from "../../support/held-memory.ts";

const OBJECTS = 10_000;

test("an informer of ownership holds a name and a reference for each object", async () => {
  const { client, clock, store } = await ApiWorld.open([]);
  await store.transform(() =>
    Array.from({ length: OBJECTS }, (_, index) => {
      const metadata = { name: `settings-${index}`, namespace: "default", uid: `${index}`.padStart(36, "0") };
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text: "x".repeat(500) } };
      const key = `/registry/configmaps/default/${metadata.name}`;
      return [{ type: "create", key, value: encodeStored(object, undefined) }];
    }),
  );
  const before = await heldBytes();
  const abort = new AbortController();
  const informer = new Informer({ client, clock, resource: CONFIG_MAPS, list: { ownershipOnly: true } });
  informer.start(abort.signal);
  await informer.caughtUp();
  expect(((await heldBytes()) - before) / OBJECTS).toBeLessThan(300); // about 190
  const { metadata } = informer.get("default/settings-77") ?? {};
  expect([metadata?.namespace, metadata?.name]).toEqual(["default", "settings-77"]);
  expect([metadata?.uid, metadata?.ownerReferences]).toEqual(["77".padStart(36, "0"), undefined]);
  abort.abort();
});
