import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { validatePodStatusUpdate } from "../../../../../src/kube/core/pod/status-validation.ts";
import { create, definitionOf, lines, update } from "../../passage.ts";

const PODS = definitionOf("Pod");
const refusals = (status: JsonObject, oldStatus: JsonObject = {}, spec: JsonObject = {}) =>
  lines(validatePodStatusUpdate({ spec, status }, { spec, status: oldStatus }));

const IP_RULE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const FAMILIES = "may specify no more than one IP for each IP family";

describe("the status of a Pod", () => {
  it("keeps its quality, which is filled in where it is left out", () => {
    const body = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
    const before = create(PODS, body).object;
    const next = (status: JsonObject) =>
      lines(update(PODS, { before, body: { ...body, status } }, "status").errors);
    expect(next({ qosClass: "Guaranteed" })).toEqual([
      'status.qosClass: Invalid value: "Guaranteed": field is immutable',
    ]);
    expect(next({ phase: "Running" })).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    [
      "conditions of no type",
      { conditions: [{ type: "Ready" }, { type: "not a type", observedGeneration: -1 }] },
      {},
      [
        "status.conditions[1].observedGeneration: Invalid value: -1: must be a non-negative integer",
        `status.conditions[1].Type: Invalid value: "not a type": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      ],
    ],
    [
      "a nomination of no node",
      { nominatedNodeName: "a_b" },
      {},
      [
        `status.nominatedNodeName: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
    ["a nomination that was there", { nominatedNodeName: "a_b" }, { nominatedNodeName: "a_b" }, []],
    [
      "a generation below nothing",
      { observedGeneration: -1 },
      {},
      ["status.observedGeneration: Invalid value: -1: must be a non-negative integer"],
    ],
    ["both families", { podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] }, {}, []],
    [
      "two addresses of a family",
      { podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.1" }] },
      {},
      [`status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.1"}]: ${FAMILIES}`],
    ],
    [
      "an address beside none",
      { podIPs: [{ ip: "10.0.0.1" }, { ip: "x" }] },
      {},
      [
        `status.podIPs[1]: Invalid value: "x": ${IP_RULE}`,
        "status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[1]: <nil>",
        `status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"x"}]: ${FAMILIES}`,
      ],
    ],
    [
      "an odd address that was there",
      { podIPs: [{ ip: "10.0.0.01" }] },
      { podIPs: [{ ip: "10.0.0.01" }] },
      [],
    ],
    ["the addresses of its node", { hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.1" }] }, {}, []],
    ["one address of its node", { hostIP: "x" }, {}, []],
    [
      "addresses of other nodes",
      { hostIP: "10.0.0.2", hostIPs: [{ ip: "10.0.0.1" }, { ip: "x" }] },
      {},
      [
        'status.hostIPs[0].ip: Invalid value: "10.0.0.1": must be equal to `hostIP`',
        `status.hostIPs[1]: Invalid value: "x": ${IP_RULE}`,
        "status.hostIPs: Internal error: failed to check for dual stack with error:invalid IP[1]: <nil>",
        `status.hostIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"x"}]: ${FAMILIES}`,
      ],
    ],
  ])("with %s", (_name, status, before, errors) => {
    expect(refusals(status, before)).toEqual(errors);
  });
});

describe("a container that has ended", () => {
  const ended = (exitCode: number) => ({ name: "c", state: { terminated: { exitCode } } });
  const running = { name: "c", state: { running: {} } };
  const renewed = (exitCode: number, spec: JsonObject, member = "containerStatuses") =>
    refusals({ [member]: [running] }, { [member]: [{ name: "a" }, ended(exitCode)] }, spec);
  const refusal = (member = "containerStatuses") => [
    `status.${member}[1].state: Forbidden: may not be transitioned to non-terminated state`,
  ];
  const rules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];

  it.each<[string, number, JsonObject, boolean]>([
    ["begins anew by default", 0, { restartPolicy: "Always" }, true],
    ["does not begin anew", 1, { restartPolicy: "Never" }, false],
    ["begins anew when it has failed", 1, { restartPolicy: "OnFailure" }, true],
    ["does not begin anew after success", 0, { restartPolicy: "OnFailure" }, false],
    [
      "has a policy of its own",
      0,
      { restartPolicy: "Never", containers: [{ name: "c", restartPolicy: "Always" }] },
      true,
    ],
    [
      "has a rule for how it ended",
      42,
      {
        restartPolicy: "Never",
        containers: [{ name: "c", restartPolicy: "Never", restartPolicyRules: rules }],
      },
      true,
    ],
    [
      "has rules for other ends",
      1,
      {
        restartPolicy: "Always",
        containers: [{ name: "c", restartPolicy: "Never", restartPolicyRules: rules }],
      },
      false,
    ],
  ])("%s: %s under %j", (_name, exitCode, spec, fine) => {
    expect(renewed(exitCode, spec)).toEqual(fine ? [] : refusal());
  });

  it("may stay as it is, or go", () => {
    const spec = { restartPolicy: "Never" };
    expect(refusals({ containerStatuses: [ended(0)] }, { containerStatuses: [ended(1)] }, spec)).toEqual([]);
    expect(refusals({}, { containerStatuses: [ended(1)] }, spec)).toEqual([]);
  });

  it("among those that run first does not begin anew, unless it goes beside the others", () => {
    const spec = { restartPolicy: "Never", initContainers: [{ name: "c" }] };
    const beside = { restartPolicy: "Never", initContainers: [{ name: "c", restartPolicy: "Always" }] };
    expect(renewed(0, spec, "initContainerStatuses")).toEqual(refusal("initContainerStatuses"));
    expect(renewed(0, beside, "initContainerStatuses")).toEqual([]);
  });

  it("for a look at the pod never begins anew", () => {
    const member = "ephemeralContainerStatuses";
    expect(renewed(1, { restartPolicy: "Always" }, member)).toEqual(refusal(member));
  });
});
