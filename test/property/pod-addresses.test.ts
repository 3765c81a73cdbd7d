// No two running pods share an address, whatever pods come and go and however often the allocator rebuilds its state.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../src/apimachinery/meta/object-meta.ts";
import { PodAddresses } from "../../src/cluster/pod-agent/addresses.ts";
import { podNetworksText } from "../../src/cluster/pod-agent/pod-networks.ts";

const NETWORKS = [
  ["10.128.0.0/28", "fd01:0:0:1::/64"],
  ["10.128.0.16/28"],
  ["10.128.0.32/29", "fd01:0:0:3::/64"],
];
const REACHED = { 4: ["10.128.0.0/14"], 6: ["fd01::/48"] };

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("add" as const), node: fc.nat({ max: 2 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("delete" as const, "end" as const), which: fc.nat() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

test("addresses never repeat among living pods, and are used again after their end", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      let addresses = new PodAddresses();
      const living = new Map<string, KubeObject>();
      let made = 0;
      for (const action of steps) {
        if (action.do === "add") {
          const key = `a/p${made++}`;
          const given = addresses.allocate(key, NETWORKS[action.node] ?? []);
          if (!given) continue; // the node is full
          const annotations = { "k8s.ovn.org/pod-networks": podNetworksText(given, REACHED) };
          const pod = { kind: "Pod", metadata: { namespace: "a", name: key.slice(2), annotations } };
          addresses.take(pod, false);
          living.set(key, pod);
        } else if (action.do === "restart") {
          addresses = new PodAddresses();
          for (const pod of living.values()) addresses.take(pod, false);
        } else {
          const key = [...living.keys()][action.which % Math.max(living.size, 1)];
          const pod = key === undefined ? undefined : living.get(key);
          if (key === undefined || pod === undefined) continue;
          living.delete(key);
          if (action.do === "delete") addresses.take(pod, true);
          else addresses.take({ ...pod, status: { phase: "Succeeded" } }, false);
        }
        const all = [...living.values()].flatMap(
          ({ metadata }) =>
            JSON.parse(metadata.annotations?.["k8s.ovn.org/pod-networks"] ?? "").default.ip_addresses,
        );
        expect(new Set(all).size).toBe(all.length);
      }
      // A /28 has 13 addresses without the 2 of the host: none is lost.
      const onFirst = [...living.values()].filter(
        ({ metadata }) =>
          JSON.stringify(metadata).includes("10.128.0.") && JSON.stringify(metadata).includes("fd01:0:0:1::"),
      ).length;
      let free = 0;
      while (addresses.allocate(`a/more-${free}`, NETWORKS[0] ?? [])) free++;
      expect(onFirst + free).toBe(12);
    }),
    { numRuns: 150 },
  );
});
