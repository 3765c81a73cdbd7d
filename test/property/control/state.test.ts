// Property of snapshots: whatever is written before and after, a restored state equals the saved one to the byte, and
// revisions only grow. A watcher that has applied every event holds exactly that state.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createIds } from "../../../src/apimachinery/meta/ids.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../src/apimachinery/meta/status.ts";
import type { Client, ClientWatch, ResourceName } from "../../../src/controller/client.ts";
import { createInProcessClients } from "../../../src/controller/in-process-client.ts";
import { type SavedState, StateKeeper } from "../../../src/features/state/state-keeper.ts";
import { TestApi } from "../../unit/apiserver/endpoints/support.ts";

const KINDS = ["configmaps", "services"] as const;
const named = (resource: string): ResourceName => ({ group: "", version: "v1", resource });

interface Write {
  readonly verb: "create" | "update" | "delete";
  readonly kind: (typeof KINDS)[number];
  readonly name: string;
  readonly text: string;
}

const write: fc.Arbitrary<Write> = fc.record({
  verb: fc.constantFrom("create", "create", "update", "delete"),
  kind: fc.constantFrom(...KINDS),
  name: fc.constantFrom("a", "b", "c", "d"),
  text: fc.constantFrom("x", "y", "z"),
});
const writes = fc.array(write, { maxLength: 12 });

/** Services allocate an address and a node port, which are separate keys in the store. */
function objectOf({ kind, name, text }: Write): KubeObject {
  const metadata = { name, namespace: "default", labels: { text } };
  if (kind === "configmaps") return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text } };
  return { apiVersion: "v1", kind: "Service", metadata, spec: { type: "NodePort", ports: [{ port: 80 }] } };
}

/** A rejected operation changes nothing. */
async function perform(client: Client, step: Write): Promise<void> {
  const resource = named(step.kind);
  const key = { namespace: "default", name: step.name };
  try {
    if (step.verb === "create") await client.create(resource, objectOf(step));
    else if (step.verb === "delete") await client.delete(resource, key);
    else
      await client.patch(resource, key, {
        type: "merge",
        body: { metadata: { labels: { text: step.text } } },
      });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

const bytes = (state: SavedState) =>
  [...state.items].map(([key, { value }]) => [key, Buffer.from(value).toString("latin1")]);

/** Applies the events of a watch, and rejects events that no server sends. */
class Mirror {
  readonly #objects = new Map<string, KubeObject>();
  readonly #watch: ClientWatch;

  constructor(watch: ClientWatch) {
    this.#watch = watch;
  }

  /** Reads the pending events; there must be at least one. */
  async read(): Promise<void> {
    for (const { type, object } of (await this.#watch.next()) ?? []) {
      const { name = "", uid } = object.metadata;
      const known = this.#objects.get(name);
      expect([name, type, known?.metadata.uid]).toEqual([name, type, type === "ADDED" ? undefined : uid]);
      if (type === "DELETED") this.#objects.delete(name);
      else this.#objects.set(name, object);
    }
  }

  get objects(): readonly KubeObject[] {
    return [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }
}

test("a restored state is the saved one, and watches have seen how it came about", async () => {
  const script = fc.record({ before: writes, after: writes, further: writes });
  await fc.assert(
    fc.asyncProperty(script, async ({ before, after, further }) => {
      await using api = await TestApi.open();
      const { store, clock, resources } = api;
      const clients = createInProcessClients({ resources, clock, ids: createIds(), onWarning: () => {} });
      const client = clients("test");
      const followed = () => api.settled();
      const keeper = new StateKeeper({
        store,
        clock,
        followed,
        emptyState: () => Promise.reject(new Error()),
      });
      const begin = String(store.revision);
      const mirrors = KINDS.map((kind) => new Mirror(client.watch(named(kind), begin)));
      const follow = async () => {
        for (const [index, kind] of KINDS.entries()) {
          await client.create(named(kind), objectOf({ verb: "create", kind, name: "zz", text: "x" }));
          await mirrors[index]?.read();
          const { items } = await client.list(named(kind));
          expect(mirrors[index]?.objects).toEqual(items);
          await client.delete(named(kind), { namespace: "default", name: "zz" });
        }
      };

      for (const step of before) await perform(client, step);
      const first = keeper.save();
      for (const step of after) await perform(client, step);
      const second = keeper.save();
      const back = await keeper.restore(first);
      expect(bytes(keeper.save())).toEqual(bytes(first));
      expect(back.revision).toBeGreaterThanOrEqual(second.revision);
      expect(back.revision).toBe(store.revision);
      expect(back.revision > second.revision).toBe(back.created + back.updated + back.deleted > 0);
      await follow();

      for (const step of further) await perform(client, step);
      await keeper.restore(second, { watches: "events" });
      expect(bytes(keeper.save())).toEqual(bytes(second));
      await follow();
      expect(api.internalErrors).toEqual([]);
    }),
    { numRuns: 60 },
  );
}, 60_000);
