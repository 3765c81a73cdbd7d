// Leader election: which of several servers on one store runs the controllers.
import { once } from "node:events";
import { expect, test } from "vitest";
import { LeaderElection } from "../../../src/server/leader-election.ts";
import type { FencingToken } from "../../../src/storage/store.ts";
import { ApiWorld, NAMESPACES } from "../../support/api-world.ts";
import { eventually } from "../../support/eventually.ts";

const FENCE = "/egret/controllers/leader";

/** One server's part, and the terms of office that it has had. */
function stand({ store, client }: ApiWorld, uid: string, signal: AbortSignal) {
  const terms: { readonly fencingToken: FencingToken; isOver: boolean }[] = [];
  const election = new LeaderElection({
    ...{ store, client, uid },
    onLeader: () => {},
    async lead(fencingToken, over) {
      const term = { fencingToken, isOver: false };
      terms.push(term);
      await once(over, "abort");
      term.isOver = true;
    },
  });
  const standing = election.run(signal, () => {});
  return { terms, standing };
}

test("one of several runs the controllers, and who has lost his key begins a new term though he holds the Lease", async () => {
  const world = await ApiWorld.open([]);
  await world.create(NAMESPACES, { name: "kube-system" });
  const over = new AbortController();
  const first = stand(world, "first", over.signal);
  await eventually(
    () => first.terms.length,
    (count) => count === 1,
  );
  const second = stand(world, "second", over.signal);
  const { store } = world;
  // As it is after the store was restored from a copy.
  const kv = store.get(FENCE);
  if (kv === undefined) throw new Error("nobody has written the key");
  await store.commit([{ type: "update", key: FENCE, value: kv.value, ifModRevision: kv.modRevision }]);
  await eventually(
    () => first.terms.length,
    (count) => count === 2,
  );
  expect(first.terms.map(({ isOver }) => isOver)).toEqual([true, false]);
  expect(first.terms[1]?.fencingToken).toEqual({ key: FENCE, modRevision: store.get(FENCE)?.modRevision });
  expect(second.terms).toEqual([]);
  over.abort();
  await Promise.all([first.standing, second.standing]);
  expect(first.terms.map(({ isOver }) => isOver)).toEqual([true, true]);
});
