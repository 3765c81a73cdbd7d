// Owners that did not come with an import: there can be as many as objects.
import { expect, it } from "vitest";
import { AbsentOwners } from "../../../../src/control/standing/absent-owners.ts";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { countTurns } from "../../../support/count-turns.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

const MANY = 3000;
const uids = Array.from({ length: MANY }, (_, index) => `uid-${index}`);
const owners = uids.map((uid) => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name: "a", uid }));

it("are noted, and forgotten once they have come, in slices between which others have their turn", async () => {
  const store = await openMvccStore(createMemoryEngine(), { clock: new ManualClock() });
  const absent = new AbsentOwners(store);
  const noted = await countTurns(() => absent.note(owners, []));
  expect(uids.every(absent.has)).toBe(true);
  expect(noted.turns).toBeGreaterThan(MANY / 100);
  const forgotten = await countTurns(() => absent.note([], uids));
  expect(uids.some(absent.has)).toBe(false);
  expect(forgotten.turns).toBeGreaterThan(MANY / 100);
});
