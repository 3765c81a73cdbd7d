import { expect, test } from "vitest";
import { Cluster, EGRESS_IPS, egressIpObject, NODES, nodeObject } from "../../../kube/controllers/support.ts";

test("many nodes and EgressIPs: evenly placed, one write each, and nothing to do after a restart", async () => {
  const cluster = await Cluster.start();
  for (let index = 0; index < 100; index++) {
    await cluster.client.create(NODES, nodeObject(`n${index}`, { ipv4: `10.0.0.${index}/16` }));
  }
  await cluster.idle();
  for (let index = 0; index < 2_000; index++) {
    const address = `10.0.${1 + (index >> 8)}.${index & 255}`;
    await cluster.client.create(EGRESS_IPS, egressIpObject(`e${index}`, [address]));
  }
  await cluster.idle();
  expect(cluster.takeWrites()).toHaveLength(2_000);
  const counts = cluster.describe().map(({ allocations }) => Object.keys(allocations).length);
  expect(new Set(counts)).toEqual(new Set([20]));
  await cluster.restart();
  expect(cluster.takeWrites()).toEqual([]);
  await cluster.stop();
});
