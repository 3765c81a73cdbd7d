import { expect, test } from "vitest";
import { Model } from "../../../../src/ui/data/model.ts";
import { factsOf } from "../../../../src/ui/map/facts.ts";
import { KnownModel } from "../../../../src/ui/map/known.ts";

test("an EgressService answers at the addresses of its Service's load balancer", () => {
  const model = new Model();
  const common = { revision: 1, namespace: "shop", name: "web" };
  const known = new KnownModel(model);
  const touched = model.apply([
    {
      kind: "services",
      uid: "s",
      revision: 1,
      record: { ...common, uid: "s", selector: {}, loadBalancerAddresses: ["192.0.2.1"] },
    },
    {
      kind: "egressservices",
      uid: "e",
      revision: 1,
      record: { ...common, uid: "e", host: "n1", sourceIpBy: "LoadBalancerIP", network: "" },
    },
  ]);
  known.take(touched);
  const { targets } = factsOf(known, new Map(), 0);
  expect(targets.map(({ addresses }) => addresses.map(({ address }) => address))).toEqual([["192.0.2.1"]]);
});
