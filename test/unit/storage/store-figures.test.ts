import { expect, test } from "vitest";
import { StoreFigures } from "../../../src/storage/store-metrics.ts";

/** "/a/b" belongs to "/a/". */
const upToSecondSlash = (key: string): number => key.indexOf("/", 1) + 1;
const open = () => new StoreFigures(upToSecondSlash);
const prefixes = (figures: StoreFigures) => [...figures].map(({ prefix }) => prefix);

test("keys of a collection have the same figures, others have others", () => {
  const figures = open();
  const pods = figures.of("/pods/a");
  expect(figures.of("/pods/b")).toBe(pods);
  expect(figures.of("/nodes/b")).not.toBe(pods);
  expect(figures.of("/pods/")).toBe(pods);
  expect(figures.of("/podset/b")).not.toBe(pods);
  expect(prefixes(figures)).toEqual(["", "/pods/", "/nodes/", "/podset/"]);
});

test("keys of no collection are counted together, also when one of a collection came before", () => {
  const figures = open();
  figures.of("/pods/a");
  expect(figures.of("none").prefix).toBe("");
  expect(new StoreFigures().of("/pods/a").prefix).toBe("");
});

test("prefixes whose hashes are equal are two collections", () => {
  const figures = open();
  const [one, two] = [figures.of("/Aa/x"), figures.of("/BB/x")]; // alike when each letter is 31 times the next
  expect(one).not.toBe(two);
  expect(figures.of("/Aa/y")).toBe(one);
  expect(figures.of("/BB/y")).toBe(two);
});

test("keys may be anything, and take no more and more memory", () => {
  const figures = open();
  for (let index = 0; index < 5000; index++) figures.of(`/kind${index}/a`).dispatched++;
  expect(prefixes(figures).length).toBeLessThan(1100);
  expect([...figures].reduce((sum, { dispatched }) => sum + dispatched, 0)).toBe(5000);
});

test("operations are counted with their times, and failures as well", () => {
  const pods = open().of("/pods/a");
  pods.done("create", 0.004, false);
  pods.done("create", 0.3, true);
  const { create, update } = pods.operations;
  expect(update).toBeUndefined();
  expect(create?.errors).toBe(1);
  expect(create?.seconds).toMatchObject({ count: 2, sum: 0.304 });
  expect(create?.seconds.buckets.slice(0, 6)).toEqual([1, 0, 0, 0, 0, 1]);
});
