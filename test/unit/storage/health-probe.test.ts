import { expect, test } from "vitest";
import { HealthProbe } from "../../../src/storage/etcd/health-probe.ts";

const ANSWER = { revision: 1, kvs: [], more: false };

test("an etcd that answers has no problem, and is not asked again at once", async () => {
  let asked = 0;
  const probe = new HealthProbe({
    range: async () => {
      asked++;
      return ANSWER;
    },
  });
  await probe.look();
  expect([probe.problem, probe.look(), asked]).toEqual([undefined, undefined, 1]);
});

test("one that does not is told of in two seconds, by all who ask, with one request; and it is well once that is answered", async () => {
  let asked = 0;
  let goOn = () => {};
  const probe = new HealthProbe({
    range: () => {
      asked++;
      return new Promise((resolve) => {
        goOn = () => resolve(ANSWER);
      });
    },
  });
  await Promise.all([probe.look(), probe.look()]);
  expect(probe.problem).toBe("context deadline exceeded");
  expect([probe.look(), asked]).toEqual([undefined, 1]);
  goOn();
  await expect.poll(() => probe.problem).toBeUndefined();
});

test("what etcd refuses is told in its words", async () => {
  const probe = new HealthProbe({ range: () => Promise.reject(new Error("etcdserver: no leader")) });
  await probe.look();
  expect(probe.problem).toBe("etcdserver: no leader");
});
