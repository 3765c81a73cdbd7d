// The EgressIPs that speak of a namespace are found by its labels; looking at each of them finds the same.
import fc from "fast-check";
import { expect, test } from "vitest";
import { allEgressIps, egressIpsFor, selectsNamespace } from "../../../../src/ovn/trace/egress-ip-source.ts";
import { clusterOf, egressIp, namespace } from "../world.ts";

const key = fc.constantFrom("team", "tier");
const value = fc.constantFrom("a", "b", "");
const labels = fc.dictionary(key, value);
const expression = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist", "Nothing of that kind") }),
);
const selector = fc.oneof(
  fc.constant({}),
  fc.constant(undefined),
  labels.map((matchLabels) => ({ matchLabels })),
  fc.record({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 3 }) }),
);

test("by labels, whatever the selectors are", () => {
  fc.assert(
    fc.property(fc.array(selector, { maxLength: 6 }), labels, (selectors, own) => {
      const egressIps = selectors.map((namespaceSelector, index) =>
        egressIp(`e${index}`, [], { namespaceSelector }),
      );
      const cluster = clusterOf([...egressIps, namespace("ns", own)]);
      const names = (found: typeof all) => found.map(({ name }) => name);
      const all = allEgressIps(cluster);
      const selecting = all.filter((view) => selectsNamespace(cluster, view, "ns"));
      expect(names(egressIpsFor(cluster, "ns"))).toEqual(names(selecting));
    }),
  );
});
