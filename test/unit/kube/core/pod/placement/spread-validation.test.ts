import { expect, it } from "vitest";
import type { JsonObject } from "../../../../../../src/apimachinery/json/json.ts";
import { schemaErrors } from "../../../../../../src/apiserver/registry/strategy/schema-rules.ts";
import { placementRules } from "../../../../../../src/kube/core/pod/placement.ts";
import { create, definitionOf, lines } from "../../../passage.ts";

const FINE = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };

it.each<[string, JsonObject[], string[]]>([
  ["with limits", [{ ...FINE, minDomains: 2, nodeAffinityPolicy: "Honor", nodeTaintsPolicy: "Ignore" }], []],
  [
    "of nothing",
    [{}],
    [
      "t[0].maxSkew: Invalid value: 0: must be greater than zero",
      "t[0].topologyKey: Required value: can not be empty",
      't[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
  ],
  [
    "of one kind twice",
    [FINE, { ...FINE, whenUnsatisfiable: "ScheduleAnyway" }, { ...FINE, maxSkew: 2 }],
    ['t[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"'],
  ],
  [
    "over few domains where pods go anyway",
    [{ ...FINE, whenUnsatisfiable: "ScheduleAnyway", minDomains: 0 }],
    [
      "t[0].minDomains: Invalid value: 0: must be greater than zero",
      "t[0].minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway",
    ],
  ],
  [
    "with odd policies",
    [{ ...FINE, nodeAffinityPolicy: "Odd", nodeTaintsPolicy: "Odd" }],
    [
      't[0].nodeAffinityPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
      't[0].nodeTaintsPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
    ],
  ],
  [
    "of no pods",
    [
      {
        ...FINE,
        matchLabelKeys: ["a"],
      },
      {
        ...FINE,
        topologyKey: "host",
        labelSelector: { matchExpressions: [{ key: "a", operator: "Odd" }] },
      },
    ],
    [
      "t[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
      't[1].labelSelector.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator',
    ],
  ],
])("pods spread %s", (_name, constraints, errors) => {
  const found = constraints.flatMap((constraint, index) =>
    schemaErrors("io.k8s.api.core.v1.TopologySpreadConstraint", constraint, {
      field: `t[${index}]`,
      code: placementRules({ topologySpreadConstraints: constraints }),
    }),
  );
  expect(lines(found)).toEqual(errors);
});

it("a Pod is refused for it", () => {
  const spec = {
    containers: [{ name: "c", image: "i" }],
    topologySpreadConstraints: [{ ...FINE, maxSkew: 0 }],
  };
  const { errors } = create(definitionOf("Pod"), { metadata: { name: "p" }, spec });
  expect(errors.map(({ field }) => field)).toEqual(["spec.topologySpreadConstraints[0].maxSkew"]);
});
