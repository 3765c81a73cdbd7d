// Users take turns, users with all rights come first and anonymous last, and a full queue drops what the greediest user has.
import fc from "fast-check";
import { expect, test } from "vitest";
import { FairQueue } from "../../../../src/apimachinery/workers/fair-queue.ts";
import { type JobOwner, jobOwner } from "../../../../src/apimachinery/workers/job.ts";

interface Task {
  readonly owner: JobOwner;
  readonly number: number;
}

const of = (user: string, number: number, rank: JobOwner["rank"] = "usual"): Task => ({
  owner: { user, rank },
  number,
});

function drained(queue: FairQueue<Task>): string[] {
  const names: string[] = [];
  for (let task = queue.take(); task !== undefined; task = queue.take())
    names.push(`${task.owner.user}${task.number}`);
  return names;
}

test("users take turns, with those of all rights first and anonymous last", () => {
  const queue = new FairQueue<Task>(10);
  for (const task of [of("?", 1, "last"), of("a", 1), of("a", 2), of("a", 3), of("b", 1)]) queue.add(task);
  queue.add(of("root", 1, "first"));
  expect(drained(queue)).toEqual(["root1", "a1", "b1", "a2", "a3", "?1"]);
});

test("a user who comes again right after a turn does not go before the others", () => {
  const queue = new FairQueue<Task>(10);
  queue.add(of("a", 1));
  queue.take();
  for (const task of [of("a", 2), of("a", 3), of("b", 1)]) queue.add(task);
  expect(drained(queue)).toEqual(["b1", "a2", "a3"]);
});

test("a full queue drops the newest job of the user with the most, whoever comes", () => {
  const queue = new FairQueue<Task>(3);
  const [first, second, third] = [of("a", 1), of("a", 2), of("a", 3)];
  for (const task of [first, second, third]) expect(queue.add(task)).toBeUndefined();
  const fourth = of("a", 4);
  expect(queue.add(fourth)).toBe(fourth);
  expect(queue.add(of("b", 1))).toBe(third);
  expect(drained(queue)).toEqual(["a1", "b1", "a2"]);
});

test("only some ranks", () => {
  const queue = new FairQueue<Task>(3);
  queue.add(of("a", 1));
  expect(queue.take(["first"])).toBeUndefined();
  expect(queue.size).toBe(1);
});

test("the rank of an owner follows from its groups", () => {
  const rankOf = (...groups: string[]) => jobOwner({ name: "jane", groups }).rank;
  expect(rankOf("system:masters", "system:authenticated")).toBe("first");
  expect(rankOf("system:authenticated")).toBe("usual");
  expect(rankOf("system:unauthenticated")).toBe("last");
});

test("nothing is lost, the bound holds, and a user waits for one job of each other user", () => {
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom("a", "b", "c", "root", "?") }),
    fc.constantFrom("take" as const, "remove" as const),
  );
  const rankOf = (user: string) => (user === "root" ? "first" : user === "?" ? "last" : "usual");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new FairQueue<Task>(6);
      let waiting: Task[] = [];
      const without = (task: Task | undefined) => waiting.filter((other) => other !== task);
      for (const [number, item] of steps.entries()) {
        if (item === "take") {
          const task = queue.take();
          expect(task === undefined).toBe(waiting.length === 0);
          if (task === undefined) continue;
          const ofUser = waiting.filter(({ owner }) => owner.user === task.owner.user);
          expect(ofUser[0]).toBe(task); // of one user in order
          waiting = without(task);
        } else if (item === "remove") {
          const [task] = waiting;
          if (task) expect(queue.remove(task)).toBe(true);
          if (task) expect(queue.remove(task)).toBe(false);
          waiting = without(task);
        } else {
          const task = of(item.add, number, rankOf(item.add));
          waiting.push(task);
          waiting = without(queue.add(task));
        }
        expect(queue.size).toBe(waiting.length);
        expect(queue.size).toBeLessThanOrEqual(6);
      }
      const rest = queue.takeAll();
      expect(new Set(rest)).toEqual(new Set(waiting));
      expect(queue.size).toBe(0);
    }),
  );
});
