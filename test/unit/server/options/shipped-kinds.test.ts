// --kinds accepts groups and kinds; its table lists the shipped kinds.
import { expect, test } from "vitest";
import { readShippedDefinitions } from "../../../../src/server/manifests.ts";
import { checkKinds, chosenKinds, SHIPPED_KINDS } from "../../../../src/server/options/shipped-kinds.ts";

const shipped = (await readShippedDefinitions()).map(({ metadata }) => metadata.name ?? "").sort();
const chosenBy = (value: string): string[] => shipped.filter(chosenKinds(value));

test("the table names the shipped definitions", () => {
  const named = [...SHIPPED_KINDS].flatMap(([group, names]) => names.map((name) => `${name}.${group}`));
  expect(named.sort()).toEqual(shipped);
});

test.each<[value: string, count: number]>([
  ["all", 21],
  ["none", 0],
  ["", 0],
  ["k8s.ovn.org", 13],
  ["k8s.ovn.org,whereabouts.cni.cncf.io", 16],
  ["egressips", 1],
  ["egressips.k8s.ovn.org", 1],
  [" egressips , k8s.cni.cncf.io,", 2],
])("%j chooses %i definitions", (value, count) => {
  expect(() => checkKinds(value)).not.toThrow();
  expect(chosenBy(value)).toHaveLength(count);
});

test.each<[value: string, message: RegExp]>([
  [
    "egressips,widgets",
    /^--kinds: "widgets" must be all, none, a group or a kind of: k8s\.ovn\.org \(.*\begressips,.*whereabouts\.cni\.cncf\.io \(ippools,/,
  ],
  ["egressips.example.com", /"egressips\.example\.com" must be/],
  ["all,egressips", /^--kinds all,egressips: all must be the only word$/],
  ["vteps,none", /none must be the only word$/],
])("%j is a usage error", (value, message) => {
  expect(() => checkKinds(value)).toThrow(message);
});
