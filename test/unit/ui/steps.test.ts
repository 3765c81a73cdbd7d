// Steps of a plan: in the URL, in the request, on a command line.
import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  changeOf,
  commandOf,
  fatesOf,
  formatStep,
  parseStep,
  planBody,
} from "../../../src/ui/whatif/steps.ts";

const TEXTS = [
  "notready:node/n1",
  "ready:node/n1",
  "label:node/n1:a.b/c=x=y",
  "unlabel:node/n2:k8s.ovn.org/egress-assignable",
  "delete:pod/shop/web",
  "address:egressip/web:fd00::9",
];
const steps = TEXTS.map((text) => parseStep(text)!);

test("a step comes back from its text, and what is none is left out", () => {
  expect(steps.map(formatStep)).toEqual(TEXTS);
  for (const text of ["", "notready", "notready:n1", "explode:node/n1", "label:node/n1", "delete:node/n1:x"])
    expect(parseStep(text)).toBeUndefined();
});

test("a plan is asked in the words of the server", () => {
  expect(steps.map(changeOf)).toEqual([
    { notReady: "node/n1" },
    { ready: "node/n1" },
    { label: "node/n1", labels: { "a.b/c": "x=y" } },
    { label: "node/n2", labels: { "k8s.ovn.org/egress-assignable": null } },
    { delete: "pod/shop/web" },
    {
      patch: "egressip/web",
      type: "json",
      with: [{ op: "add", path: "/spec/egressIPs/-", value: "fd00::9" }],
    },
  ]);
});

test("the command gives the same, where there is one", () => {
  expect(commandOf(steps)).toBeUndefined();
  expect(commandOf(steps.filter(({ verb }) => verb !== "ready" && verb !== "address"))).toBe(
    "egret plan --not-ready node/n1 --label node/n1 a.b/c=x=y --label node/n2 k8s.ovn.org/egress-assignable- --delete pod/shop/web",
  );
});

test("manifests go as they were written", () => {
  const manifests =
    "# a comment\n---\nkind: EgressIP\nspec:\n  egressIPs: [1.2.3.4]\n\n--- # next\nkind: Node\n---\n";
  expect(parse(planBody(steps.slice(0, 1), manifests))).toEqual({
    changes: [
      { apply: { kind: "EgressIP", spec: { egressIPs: ["1.2.3.4"] } } },
      { apply: { kind: "Node" } },
      { notReady: "node/n1" },
    ],
  });
  expect(parse(planBody([], ""))).toEqual({ changes: [] });
});

test("of each node it is said what would happen to it", () => {
  expect([...fatesOf(steps)]).toEqual([
    ["n1", "would have a.b/c=x=y"],
    ["n2", "would not be assignable"],
  ]);
  expect([...fatesOf(steps.slice(0, 1))]).toEqual([["n1", "would be not Ready"]]);
});
