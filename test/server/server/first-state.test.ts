// What the build lays down must be what a start without it creates.
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/apimachinery/meta/clock.ts";
import { createIds } from "../../../src/apimachinery/meta/ids.ts";
import { builtFile } from "../../../src/apimachinery/meta/package-files.ts";
import { decodeStored } from "../../../src/apiserver/registry/codec/object-codec.ts";
import { DEFAULT_OPTIONS, type ServerOptions } from "../../../src/server/options/options.ts";
import { createServer } from "../../../src/server/server.ts";
import { PACKING_TIME_MS, type PackedKey, packState, seedNewStore } from "../../../src/server/store.ts";
import { createMemoryEngine } from "../../../src/storage/engine.ts";
import { openMvccStore } from "../../../src/storage/mvcc/mvcc-store.ts";
import type { KeyValue, Store } from "../../../src/storage/store.ts";

const EVERYTHING = { from: "\u0000", to: "\uffff" };
const QUIET = { listen: "127.0.0.1:0", kubeconfig: undefined, controllers: "", logLevel: "silent" };
const around = { clock: systemClock, ids: createIds() };

const openStore = (): Promise<Store> => openMvccStore(createMemoryEngine(), { clock: systemClock });
const itemsOf = (store: Store): readonly KeyValue[] => store.list(EVERYTHING).items;

/** What a server that runs from its sources has created by its own hand. */
async function created(
  given: Partial<ServerOptions> = {},
): Promise<{ packed: readonly PackedKey[]; items: readonly KeyValue[] }> {
  const store = await openStore();
  const clock = { ...systemClock, now: () => PACKING_TIME_MS };
  const server = await createServer({ ...QUIET, ...given }, { store, clock });
  const items = itemsOf(store);
  await server.close();
  return { packed: packState(items), items };
}

describe("the first state", () => {
  test("is for built code only", () => {
    expect(builtFile("anything")).toBeUndefined();
  });

  test("laid down, it holds the objects of a start without it, with times of now and uids of their own", async () => {
    const { packed, items } = await created();
    const store = await openStore();
    await seedNewStore(store, DEFAULT_OPTIONS, around, async () => packed);
    const laid = itemsOf(store).map(decodeStored);
    const uids = laid.map(({ metadata }) => metadata.uid);
    expect(new Set(uids).size).toBe(laid.length);
    expect(new Set(laid.map(({ metadata }) => metadata.resourceVersion)).size).toBe(laid.length);
    expect(uids.filter((uid) => items.some((kv) => decodeStored(kv).metadata.uid === uid))).toEqual([]);
    expect(JSON.stringify(laid)).not.toContain("1970-02-03");
    expect(laid.map(withoutChance)).toEqual(items.map(decodeStored).map(withoutChance));
  });

  test("laid down with --kinds, it holds what a start with it creates", async () => {
    const { packed } = await created();
    const kinds = "egressips,networkqoses.k8s.ovn.org,k8s.cni.cncf.io";
    const store = await openStore();
    await seedNewStore(store, { ...DEFAULT_OPTIONS, kinds }, around, async () => packed);
    expect(itemsOf(store).map(({ key }) => key)).toEqual(
      (await created({ kinds })).items.map(({ key }) => key),
    );
  });

  test("laid down for a server with RBAC, it holds the policy, too", async () => {
    const rbac = { authorizationMode: "RBAC" } as const;
    const { packed, items } = await created(rbac);
    expect(items.filter(({ key }) => /\/(cluster)?role(binding)?s\//.test(key))).toHaveLength(135);
    const store = await openStore();
    const asked: boolean[] = [];
    await seedNewStore(store, { ...DEFAULT_OPTIONS, ...rbac }, around, async (_profile, hasPolicy) => {
      asked.push(hasPolicy);
      return packed;
    });
    expect(asked).toEqual([true]);
    expect(itemsOf(store).map(({ key }) => key)).toEqual(items.map(({ key }) => key));
  });

  test("leaves out what holds addresses of Services, where their networks are others", async () => {
    const { packed, items } = await created();
    const store = await openStore();
    const others = { ...DEFAULT_OPTIONS, serviceClusterIpRange: "10.97.0.0/16" };
    expect(await seedNewStore(store, others, around, async () => packed)).toBe(true);
    const left = items
      .map(({ key }) => key)
      .filter((key) => !itemsOf(store).some((item) => item.key === key));
    expect(left).toEqual([
      "/registry/ipaddresses/10.96.0.1",
      "/registry/servicecidrs/kubernetes",
      "/registry/services/specs/default/kubernetes",
    ]);
  });

  test("leaves a store alone that holds something", async () => {
    const { packed } = await created();
    const store = await openStore();
    await store.commit([{ type: "create", key: "/a", value: Buffer.from("b") }]);
    expect(await seedNewStore(store, DEFAULT_OPTIONS, around, async () => packed)).toBe(false);
    expect(itemsOf(store)).toHaveLength(1);
  });
});

/** An object without its times, uid and revision. */
function withoutChance(object: object): unknown {
  return JSON.parse(
    JSON.stringify(object, (key, value) =>
      key === "uid" || key === "resourceVersion" ? undefined : value,
    ).replaceAll(/\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?/g, ""),
  );
}
