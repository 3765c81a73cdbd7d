// Allocated node ports in a real etcd, in the single value that kube-apiservers share.
import { describe, expect, test } from "vitest";
import { createStorageLayout } from "../../src/apiserver/layout/storage-layout.ts";
import { BUILT_IN_RESOURCES } from "../../src/kube/index.ts";
import { backupLines } from "../../src/storage/backup.ts";
import { createMemoryEngine } from "../../src/storage/engine.ts";
import { openMvccStore } from "../../src/storage/mvcc/mvcc-store.ts";
import { fillStore, replaceState } from "../../src/storage/restore-state.ts";
import { EVERY_KEY, holds, prefixRange, type Store } from "../../src/storage/store.ts";
import { etcdProblem } from "../support/etcd.ts";
import { allocationOf, NODE_PORTS, portsInEtcd } from "../support/node-ports-in-etcd.ts";
import { ManualClock } from "../unit/storage/manual-clock.ts";
import { codeOf, create, etcdPlace, remove, showEvent } from "./store-harness.ts";

const problem = etcdProblem();
const layout = createStorageLayout({
  builtIn: BUILT_IN_RESOURCES,
  nodePorts: { first: 30_000, last: 32_767 },
});
const PORTS = prefixRange(`${NODE_PORTS}/`);
const keyOf = (port: number): string => `${NODE_PORTS}/${port}`;
const portsOf = (store: Store): number[] =>
  store.list(PORTS).items.map(({ key }) => Number(key.slice(NODE_PORTS.length + 1)));

const backupOf = (store: Store) => ({
  name: "it",
  async *lines() {
    for await (const line of backupLines(store)) yield line.trimEnd();
  },
});

describe.skipIf(problem !== undefined)(
  `etcd${problem === undefined ? "" : ` (left out: ${problem})`}`,
  () => {
    test("a port is a bit of the value, written together with what needs it", async () => {
      await using place = await etcdPlace();
      const store = await place.open({ layout });
      const revision = await store.commit([create("/egret/s"), create(keyOf(30_008)), create(keyOf(31_000))]);
      expect(await portsInEtcd(place.etcd)).toEqual([30_008, 31_000]);
      expect(store.get("/egret/s")?.modRevision).toBe(revision);
      expect(portsOf(store)).toEqual([30_008, 31_000]);
      const kept = store.get(keyOf(31_000));
      await store.commit([remove(keyOf(31_000), kept?.modRevision ?? 0)]);
      expect(await portsInEtcd(place.etcd)).toEqual([30_008]);
      await store.commit([remove(keyOf(30_008), store.get(keyOf(30_008))?.modRevision ?? 0)]);
      expect(await place.etcd.get(NODE_PORTS)).toEqual(allocationOf([]));
      expect(portsOf(store)).toEqual([]);
    });

    test("a commit that fails leaves the value as it was", async () => {
      await using place = await etcdPlace();
      const store = await place.open({ layout });
      await store.commit([create("/egret/s"), create(keyOf(30_001))]);
      expect(await codeOf(() => store.commit([create("/egret/s"), create(keyOf(30_002))]))).toBe(
        "KEY_EXISTS",
      );
      expect(await codeOf(() => store.commit([create("/egret/t"), create(keyOf(30_001))]))).toBe(
        "KEY_EXISTS",
      );
      expect(await codeOf(() => store.commit([remove(keyOf(30_003), 2)]))).toBe("REVISION_MISMATCH");
      expect(await portsInEtcd(place.etcd)).toEqual([30_001]);
      expect(store.get("/egret/t")).toBeUndefined();
    });

    test("what another server has put there is shown, told, and kept", async () => {
      await using place = await etcdPlace();
      await place.etcd.put(NODE_PORTS, allocationOf([30_001, 32_767]));
      const store = await place.open({ layout });
      expect(portsOf(store)).toEqual([30_001, 32_767]);
      const watch = store.watch(PORTS, { after: store.revision });
      await place.etcd.put(NODE_PORTS, allocationOf([30_002, 32_767]));
      const told = (await watch.next())?.flatMap(({ events }) => events.map(showEvent));
      expect(told).toEqual([
        `delete ${keyOf(30_001)} at 3 (was ${keyOf(30_001)}=@2/2)`,
        `put ${keyOf(30_002)}=@3/3 (was -)`,
      ]);
      expect(await codeOf(() => store.commit([create(keyOf(30_002))]))).toBe("KEY_EXISTS");
      await store.commit([create(keyOf(30_003))]);
      expect(await portsInEtcd(place.etcd)).toEqual([30_002, 30_003, 32_767]);
      await place.etcd.delete(NODE_PORTS);
      await store.caughtUp();
      expect(portsOf(store)).toEqual([]);
    });

    test("stores that take ports at once have them all in the value, and nobody gets one of another", async () => {
      await using place = await etcdPlace();
      const stores = [await place.open({ layout }), await place.open({ layout })];
      const wanted = Array.from({ length: 40 }, (_, index) => 30_000 + index);
      const outcomes = await Promise.allSettled(
        wanted.flatMap((port) =>
          stores.map((store, index) =>
            store.commit([create(`/egret/${index}/${port}`), create(keyOf(port))]),
          ),
        ),
      );
      const won = outcomes.filter(({ status }) => status === "fulfilled");
      const lost = outcomes.filter((outcome) => outcome.status === "rejected");
      expect([won.length, lost.length]).toEqual([40, 40]);
      for (const { reason } of lost) expect(reason).toMatchObject({ code: "KEY_EXISTS" });
      expect(await portsInEtcd(place.etcd)).toEqual(wanted);
      for (const store of stores) {
        await store.caughtUp();
        expect(portsOf(store)).toEqual(wanted);
      }
    });

    test("a value of another range is refused, and written over by nobody", async () => {
      await using place = await etcdPlace();
      const other = allocationOf([30_000], "30000-31000");
      await place.etcd.put(NODE_PORTS, other);
      const told: string[] = [];
      const store = await place.open({
        layout,
        onUnreadable: ({ key, reason }) => told.push(`${key}: ${reason}`),
      });
      expect(told).toEqual([`${NODE_PORTS}: the provided range does not match the current range`]);
      await expect(store.commit([create(keyOf(30_001))])).rejects.toMatchObject({
        code: "REFUSED",
        message: "the provided range does not match the current range",
      });
      expect(await place.etcd.get(NODE_PORTS)).toEqual(other);
    });

    test("ports that an earlier version has kept as keys come into the value, others stay as they are", async () => {
      await using place = await etcdPlace();
      const old = (port: number): string => `/egret${keyOf(port)}`;
      const many = Array.from({ length: 150 }, (_, index) => 30_000 + index);
      await place.etcd.put(NODE_PORTS, allocationOf([32_000]));
      for (const port of [80, ...many]) await place.etcd.put(old(port), Buffer.from("shop/s"));
      const store = await place.open({ layout });
      expect(await portsInEtcd(place.etcd)).toEqual([...many, 32_000]);
      expect(portsOf(store)).toEqual([...many, 32_000, 80]);
      expect(await place.etcd.get(old(30_000))).toBeUndefined();
      expect((await place.etcd.get(old(80)))?.toString()).toBe("shop/s");
    });

    test("a backup of a store that keeps whose a port is comes to the same here, and is nothing new the second time", async () => {
      await using place = await etcdPlace();
      await using other = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
      const named = { type: "create", key: keyOf(30_001), value: Buffer.from("shop/s") } as const;
      await other.commit([create("/egret/s"), named]);
      const source = backupOf(other);
      const store = await place.open({ layout });
      await fillStore(source, store);
      expect(await portsInEtcd(place.etcd)).toEqual([30_001]);
      expect(other.list(EVERY_KEY).items.every(({ key, value }) => holds(store, key, value))).toBe(true);
      expect(holds(store, keyOf(30_002), named.value)).toBe(false);
      const { revision } = store;
      await replaceState(source, store);
      expect(store.revision).toBe(revision);
      await store.commit([create(keyOf(30_002))]);
      await replaceState(source, store);
      expect(await portsInEtcd(place.etcd)).toEqual([30_001]);
      await replaceState(backupOf(store), other);
      expect(portsOf(other)).toEqual([30_001]);
    });

    test("an etcd that was restored has the ports that it had", async () => {
      await using place = await etcdPlace();
      const store = await place.open({ layout });
      await store.commit([create(keyOf(30_001))]);
      const copy = place.etcd.save("copy");
      await store.commit([create(keyOf(30_002))]);
      await place.etcd.restore(copy);
      await store.caughtUp();
      expect(portsOf(store)).toEqual([30_001]);
      await store.commit([create(keyOf(30_003))]);
      expect(await portsInEtcd(place.etcd)).toEqual([30_001, 30_003]);
    });
  },
);
