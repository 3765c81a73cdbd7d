import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../../src/apimachinery/json/json.ts";
import { schemaErrors } from "../../../../../../src/apiserver/registry/strategy/schema-rules.ts";
import { placementRules } from "../../../../../../src/kube/core/pod/placement.ts";
import { create, definitionOf, lines } from "../../../passage.ts";

const refusals = (affinity: JsonObject) =>
  lines(schemaErrors("io.k8s.api.core.v1.Affinity", affinity, { field: "a", code: placementRules({}) }));
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe("the nodes that a pod wants", () => {
  const ofTerm = (term: JsonObject) =>
    refusals({ nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{}, term] } } }).map((line) =>
      line.replace(`a.nodeAffinity.${REQUIRED}.nodeSelectorTerms[1].`, ""),
    );

  it("are told by one term at least", () => {
    expect(refusals({ nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [] } } })).toEqual([
      `a.nodeAffinity.${REQUIRED}.nodeSelectorTerms: Required value: must have at least one node selector term`,
    ]);
  });

  it.each<[JsonObject, string[]]>([
    [{ key: "k", operator: "In", values: ["a"] }, []],
    [
      { key: "k", operator: "NotIn" },
      ["values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
    ],
    [
      { key: "k", operator: "Exists", values: ["a"] },
      ["values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
    [
      { key: "k", operator: "Gt", values: ["1", "2"] },
      ["values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'"],
    ],
    [{ key: "k", operator: "Odd" }, ['operator: Invalid value: "Odd": not a valid selector operator']],
    [{ key: "!", operator: "Exists" }, [`key: Invalid value: "!": ${QUALIFIED}`]],
    [
      { key: "k", operator: "In", values: ["!"] },
      [
        "values[0]: Invalid value: \"!\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    ],
  ])("have labels: %j", (expression, errors) => {
    expect(ofTerm({ matchExpressions: [expression] })).toEqual(
      errors.map((line) => `matchExpressions[0].${line}`),
    );
  });

  it.each<[JsonObject, string[]]>([
    [{ key: "metadata.name", operator: "In", values: ["n"] }, []],
    [
      { key: "metadata.uid", operator: "In", values: [] },
      [
        "values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        'key: Invalid value: "metadata.uid": not a valid field selector key',
      ],
    ],
    [
      { key: "metadata.name", operator: "Exists" },
      ['operator: Invalid value: "Exists": not a valid selector operator'],
    ],
    [
      { key: "metadata.name", operator: "In", values: ["a_b"] },
      [
        `values[0]: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
  ])("have names: %j", (expression, errors) => {
    expect(ofTerm({ matchFields: [expression] })).toEqual(errors.map((line) => `matchFields[0].${line}`));
  });

  it("are weighed, and may have labels that no node can have", () => {
    const preference = { matchExpressions: [{ key: "k", operator: "In", values: ["!"] }] };
    const terms = [
      { weight: 0, preference },
      { weight: 101, preference },
      { weight: 100, preference },
    ];
    expect(refusals({ nodeAffinity: { [PREFERRED]: terms } })).toEqual([
      `a.nodeAffinity.${PREFERRED}[0].weight: Invalid value: 0: must be in the range 1-100`,
      `a.nodeAffinity.${PREFERRED}[1].weight: Invalid value: 101: must be in the range 1-100`,
    ]);
  });
});

describe.each(["podAffinity", "podAntiAffinity"])("the pods of %s", (member) => {
  const topologyKey = "kubernetes.io/hostname";
  const labelSelector = { matchLabels: { app: "a" } };
  const ofTerm = (term: JsonObject) =>
    refusals({ [member]: { [REQUIRED]: [term] } }).map((line) =>
      line.replace(`a.${member}.${REQUIRED}[0].`, ""),
    );

  it.each<[string, JsonObject, string[]]>([
    ["share a place", { topologyKey, labelSelector }, []],
    [
      "share some place",
      { labelSelector },
      [
        "topologyKey: Required value: can not be empty",
        'topologyKey: Invalid value: "": name part must be non-empty',
        `topologyKey: Invalid value: "": ${QUALIFIED}`,
      ],
    ],
    [
      "have labels",
      { topologyKey, labelSelector: { matchExpressions: [{ key: "a", operator: "Odd" }] } },
      ['labelSelector.matchExpressions[0].operator: Invalid value: "Odd": not a valid selector operator'],
    ],
    [
      "have namespaces",
      { topologyKey, namespaceSelector: { matchLabels: { "!": "" } }, namespaces: ["A"] },
      [
        `namespaceSelector.matchLabels: Invalid value: "!": ${QUALIFIED}`,
        `namespace: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      "are like the pod in labels",
      { topologyKey, labelSelector, matchLabelKeys: ["!", "b"], mismatchLabelKeys: ["b"] },
      [
        `matchLabelKeys[0]: Invalid value: "!": ${QUALIFIED}`,
        'matchLabelKeys[1]: Invalid value: "b": exists in both matchLabelKeys and mismatchLabelKeys',
      ],
    ],
    [
      "are like the pod and nothing else",
      { topologyKey, matchLabelKeys: ["a"], mismatchLabelKeys: ["b"] },
      [
        "matchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
        "mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set",
      ],
    ],
  ])("%s", (_name, term, errors) => {
    expect(ofTerm(term)).toEqual(errors);
  });

  it("are weighed", () => {
    const terms = [{ weight: 0, podAffinityTerm: { topologyKey } }];
    expect(refusals({ [member]: { [PREFERRED]: terms } })).toEqual([
      `a.${member}.${PREFERRED}[0].weight: Invalid value: 0: must be in the range 1-100`,
    ]);
  });
});

it("a Pod is refused for them", () => {
  const affinity = { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [] } } };
  const spec = { containers: [{ name: "c", image: "i" }], affinity };
  const { errors } = create(definitionOf("Pod"), { metadata: { name: "p" }, spec });
  expect(errors.map(({ field }) => field)).toEqual([
    `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`,
  ]);
});
