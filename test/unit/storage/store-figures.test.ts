import { expect, test } from "vitest";
import { StoreMetrics } from "../../../src/storage/store-metrics.ts";

/** "/a/b" belongs to "/a/". */
const upToSecondSlash = (key: string): number => key.indexOf("/", 1) + 1;
const open = () => new StoreMetrics(upToSecondSlash);
const prefixes = (metrics: StoreMetrics) => [...metrics].map(({ prefix }) => prefix);

test("keys of a collection have the same metrics, others have others", () => {
  const metrics = open();
  const pods = metrics.of("/pods/a");
  expect(metrics.of("/pods/b")).toBe(pods);
  expect(metrics.of("/nodes/b")).not.toBe(pods);
  expect(metrics.of("/pods/")).toBe(pods);
  expect(metrics.of("/podset/b")).not.toBe(pods);
  expect(prefixes(metrics)).toEqual(["", "/pods/", "/nodes/", "/podset/"]);
});

test("keys of no collection are counted together, also when one of a collection came before", () => {
  const metrics = open();
  metrics.of("/pods/a");
  expect(metrics.of("none").prefix).toBe("");
  expect(new StoreMetrics().of("/pods/a").prefix).toBe("");
});

test("prefixes whose hashes are equal are two collections", () => {
  const metrics = open();
  const [one, two] = [metrics.of("/Aa/x"), metrics.of("/BB/x")]; // alike when each letter is 31 times the next
  expect(one).not.toBe(two);
  expect(metrics.of("/Aa/y")).toBe(one);
  expect(metrics.of("/BB/y")).toBe(two);
});

test("keys may be anything, and take no more and more memory", () => {
  const metrics = open();
  for (let index = 0; index < 5000; index++) metrics.of(`/kind${index}/a`).dispatched++;
  expect(prefixes(metrics).length).toBeLessThan(1100);
  expect([...metrics].reduce((sum, { dispatched }) => sum + dispatched, 0)).toBe(5000);
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
