import { expect, test } from "vitest";
import { batch, inA, Workloads, withControllers } from "../../../cluster/workloads/support.ts";

const JOBS = batch("jobs");

test("a Job that has ended goes when its time is over, unless it is kept longer meanwhile", async () => {
  const all = new Workloads(await withControllers("job", "ttl-after-finished", "garbage-collector"));
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] } };
  for (const name of ["short", "longer"]) {
    await all.world.create(JOBS, inA(name), { spec: { ttlSecondsAfterFinished: 60, template } });
  }
  await all.world.create(JOBS, inA("kept"), { spec: { template } });
  for (const pod of await all.pods()) await all.recordEvent(pod, { phase: "Succeeded" });
  await all.advance(59);
  await all.patch(JOBS, "longer", { spec: { ttlSecondsAfterFinished: 90 } });
  const names = async () => (await all.list(JOBS)).map(({ metadata }) => metadata.name);
  expect(await names()).toEqual(["kept", "longer", "short"]);
  await all.advance(1);
  expect(await names()).toEqual(["kept", "longer"]);
  await all.advance(30);
  expect(await names()).toEqual(["kept"]);
  expect(await all.pods()).toHaveLength(1);
});
