import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { validateContainerSecurity, validatePodSecurity } from "../../../../../src/kube/core/pod/security.ts";
import { create, definitionOf, lines } from "../../passage.ts";

const ofPod = (context: JsonObject, spec: JsonObject = {}) => lines(validatePodSecurity("s", context, spec));
const ofContainer = (context: JsonObject, hostUsers = true) =>
  lines(validateContainerSecurity("s", context, hostUsers));

const RANGE = "must be between 0 and 2147483647, inclusive";

describe("the security of a Pod", () => {
  it.each<[string, JsonObject, string[]]>([
    ["of nothing", {}, []],
    [
      "with numbers that are none of users and groups",
      { runAsUser: -1, runAsGroup: 2 ** 31, fsGroup: -1, supplementalGroups: [0, -1] },
      [
        `s.fsGroup: Invalid value: -1: ${RANGE}`,
        `s.runAsUser: Invalid value: -1: ${RANGE}`,
        `s.runAsGroup: Invalid value: 2147483648: ${RANGE}`,
        `s.supplementalGroups[1]: Invalid value: -1: ${RANGE}`,
      ],
    ],
    [
      "with unknown policies",
      { fsGroupChangePolicy: "Never", supplementalGroupsPolicy: "Odd" },
      [
        's.fsGroupChangePolicy: Unsupported value: "Never": supported values: "Always", "OnRootMismatch"',
        's.supplementalGroupsPolicy: Unsupported value: "Odd": supported values: "Merge", "Strict"',
      ],
    ],
    [
      "with settings of the kernel",
      {
        sysctls: [
          { name: "net.core.somaxconn" },
          { name: "" },
          { name: "A" },
          { name: "net.core.somaxconn" },
        ],
      },
      [
        "s.sysctls[1].name: Required value",
        's.sysctls[2].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
        's.sysctls[3].name: Duplicate value: "net.core.somaxconn"',
      ],
    ],
    [
      "with an unknown profile",
      { seccompProfile: { type: "Odd" } },
      [
        's.seccompProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
    [
      "with a profile of no type",
      { seccompProfile: {} },
      ["s.seccompProfile.type: Required value: type is required when seccompProfile is set"],
    ],
    [
      "with a profile that is nowhere",
      { seccompProfile: { type: "Localhost" } },
      ["s.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost"],
    ],
    [
      "with a profile that leads astray",
      { seccompProfile: { type: "Localhost", localhostProfile: "../x" } },
      [`s.seccompProfile.localhostProfile: Invalid value: "../x": must not contain '..'`],
    ],
    [
      "with a profile in two places",
      { seccompProfile: { type: "Unconfined", localhostProfile: "x" } },
      [
        's.seccompProfile.localhostProfile: Invalid value: {"Type":"Unconfined","LocalhostProfile":"x"}: can only be set when seccomp type is Localhost',
      ],
    ],
    [
      "with an odd AppArmor profile",
      { appArmorProfile: { type: "Localhost", localhostProfile: " x" } },
      ['s.appArmorProfile.localhostProfile: Invalid value: " x": must not be padded with whitespace'],
    ],
    [
      "with AppArmor profiles without a name",
      { appArmorProfile: { type: "Localhost" } },
      ["s.appArmorProfile.localhostProfile: Required value: must be set when AppArmor type is Localhost"],
    ],
    [
      "with a name too many",
      { appArmorProfile: { type: "Unconfined", localhostProfile: "x" } },
      [
        's.appArmorProfile.localhostProfile: Invalid value: "x": can only be set when AppArmor type is Localhost',
      ],
    ],
    [
      "with AppArmor profiles of no type",
      { appArmorProfile: {} },
      ["s.appArmorProfile.type: Required value: type is required when appArmorProfile is set"],
    ],
    [
      "with an unknown AppArmor profile",
      { appArmorProfile: { type: "Odd" } },
      [
        's.appArmorProfile.type: Unsupported value: "Odd": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
      ],
    ],
  ])("%s", (_name, context, errors) => {
    expect(ofPod(context)).toEqual(errors);
  });

  it("does not share processes within the pod and with the host", () => {
    expect(ofPod({}, { hostPID: true, shareProcessNamespace: true })).toEqual([
      "s.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
    ]);
  });
});

describe("the security of a container", () => {
  const shown = (members: JsonObject) =>
    JSON.stringify({
      Capabilities: null,
      Privileged: null,
      SELinuxOptions: null,
      WindowsOptions: null,
      RunAsUser: null,
      RunAsGroup: null,
      RunAsNonRoot: null,
      ReadOnlyRootFilesystem: null,
      AllowPrivilegeEscalation: null,
      ProcMount: null,
      SeccompProfile: null,
      AppArmorProfile: null,
      ...members,
    });

  it.each<[string, JsonObject, string[]]>([
    [
      "with numbers that are none of users and groups",
      { runAsUser: -1, runAsGroup: -1 },
      [`s.runAsUser: Invalid value: -1: ${RANGE}`, `s.runAsGroup: Invalid value: -1: ${RANGE}`],
    ],
    [
      "with an unknown view of processes",
      { procMount: "Odd" },
      ['s.procMount: Unsupported value: "Odd": supported values: "Default", "Unmasked"'],
    ],
    [
      "with all processes unmasked",
      { procMount: "Unmasked" },
      ['s.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`'],
    ],
    [
      "that may not gain what it has already",
      { privileged: true, allowPrivilegeEscalation: false },
      [
        "s.privileged: Forbidden: disallowed by cluster policy",
        `s: Invalid value: ${shown({ Privileged: true, AllowPrivilegeEscalation: false })}: cannot set \`allowPrivilegeEscalation\` to false and \`privileged\` to true`,
      ],
    ],
    [
      "that may not gain what it may add",
      {
        allowPrivilegeEscalation: false,
        capabilities: { add: ["CAP_SYS_ADMIN"] },
        seccompProfile: { type: "Unconfined" },
      },
      [
        `s: Invalid value: ${shown({ Capabilities: { Add: ["CAP_SYS_ADMIN"], Drop: null }, AllowPrivilegeEscalation: false, SeccompProfile: { Type: "Unconfined", LocalhostProfile: null } })}: cannot set \`allowPrivilegeEscalation\` to false and \`capabilities.Add\` CAP_SYS_ADMIN`,
      ],
    ],
  ])("%s", (_name, context, errors) => {
    expect(ofContainer(context)).toEqual(errors);
  });

  it("may see all processes where users are its own", () => {
    expect(ofContainer({ procMount: "Unmasked" }, false)).toEqual([]);
  });
});

it("Pods and templates are looked at so, with all of their containers", () => {
  const securityContext = { runAsUser: -1 };
  const container = { name: "c", image: "i", securityContext };
  const spec = { securityContext, containers: [container], initContainers: [{ ...container, name: "d" }] };
  const refusals = (prefix: string) =>
    ["containers[0].", "initContainers[0].", ""].map(
      (place) => `${prefix}${place}securityContext.runAsUser: Invalid value: -1: ${RANGE}`,
    );
  const pod = create(definitionOf("Pod"), { metadata: { name: "p" }, spec });
  expect(lines(pod.errors)).toEqual(refusals("spec."));
  const labels = { app: "a" };
  const template = { metadata: { labels }, spec };
  const deployment = create(definitionOf("apps/Deployment"), {
    metadata: { name: "d" },
    spec: { selector: { matchLabels: labels }, template },
  });
  expect(lines(deployment.errors)).toEqual(refusals("spec.template.spec."));
});
