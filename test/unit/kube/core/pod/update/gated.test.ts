// Allowed updates of a pod with scheduling gates.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../../../../src/apimachinery/json/json.ts";
import { validatePodUpdate } from "../../../../../../src/kube/core/pod/validation.ts";
import { lines } from "../../../passage.ts";

const podOf = (more: JsonObject): JsonObject => ({
  metadata: { name: "p" },
  spec: {
    restartPolicy: "Always",
    dnsPolicy: "Default",
    containers: [{ name: "c", image: "i", terminationMessagePolicy: "File", imagePullPolicy: "Always" }],
    schedulingGates: [{ name: "a.b/g" }],
    nodeSelector: { a: "b" },
    ...more,
  },
});
const term = (...keys: string[]) => ({
  matchExpressions: keys.map((key) => ({ key, operator: "Exists" })),
});
const near = (...nodeSelectorTerms: JsonObject[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  },
});
const TERMS = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
const shown = (...keys: string[]): string =>
  `{"MatchExpressions":[${keys.map((key) => `{"Key":"${key}","Operator":"Exists","Values":null}`).join(",")}],"MatchFields":null}`;

it.each<[string, JsonObject, JsonObject, string[]]>([
  ["more labels may be wanted of nodes", {}, { nodeSelector: { a: "b", c: "d" } }, []],
  [
    "and not others",
    {},
    { nodeSelector: { c: "d" } },
    [
      'spec.nodeSelector: Invalid value: {"c":"d"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    ],
  ],
  ["nodes may be wanted where none were", {}, near(term("x")), []],
  ["a term may become stricter", near(term("x")), near(term("x", "y")), []],
  [
    "and not another one",
    near(term("x")),
    near(term("y")),
    [`${TERMS}[0]: Invalid value: ${shown("y")}: only additions are allowed (no mutations or deletions)`],
  ],
  [
    "terms cannot come and go",
    near(term("x")),
    near(term("x"), term("y")),
    [
      `${TERMS}: Invalid value: [${shown("x")},${shown("y")}]: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
    ],
  ],
])("%s", (_rule, before, after, expected) => {
  expect(lines(validatePodUpdate(podOf(after), podOf(before)))).toEqual(expected);
});

it("a deadline that is refused is all that is told of the change", () => {
  const errors = validatePodUpdate(
    podOf({ activeDeadlineSeconds: 2 }),
    podOf({ activeDeadlineSeconds: 1, hostPID: true }),
  );
  expect(lines(errors)).toEqual([
    "spec.activeDeadlineSeconds: Invalid value: 2: must be less than or equal to previous value",
  ]);
});
