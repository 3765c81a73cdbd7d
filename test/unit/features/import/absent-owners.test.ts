// Owners that are missing from an import: there can be as many as objects.
import { beforeEach, expect, it } from "vitest";
import { AbsentOwners } from "../../../../src/features/import/absent-owners.ts";
import { createMemoryEngine } from "../../../../src/storage/engine.ts";
import { openMvccStore } from "../../../../src/storage/mvcc/mvcc-store.ts";
import { countTurns } from "../../../support/count-turns.ts";
import { ManualClock } from "../../storage/manual-clock.ts";

const MANY = 3000;
const uids = Array.from({ length: MANY }, (_, index) => `uid-${index}`);
const owners = uids.map((uid) => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name: "a", uid }));

let absent: AbsentOwners;
beforeEach(async () => {
  absent = new AbsentOwners(await openMvccStore(createMemoryEngine(), { clock: new ManualClock() }));
});

it("are noted, and forgotten once they have come", async () => {
  await absent.note(owners, []);
  expect(uids.every(absent.has)).toBe(true);
  await absent.note([], uids);
  expect(uids.some(absent.has)).toBe(false);
});

it("are gone through in slices, between which others have their turn, also where there is nothing to write", async () => {
  await absent.note(owners, []);
  const known = await countTurns(() => absent.note(owners, []));
  expect(known.turns).toBeGreaterThan(MANY / 100);
  const strange = await countTurns(() =>
    absent.note(
      [],
      uids.map((uid) => `other-${uid}`),
    ),
  );
  expect(strange.turns).toBeGreaterThan(MANY / 100);
});
