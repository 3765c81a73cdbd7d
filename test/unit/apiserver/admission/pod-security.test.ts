import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { evaluatePod, inDetail } from "../../../../src/kube/admission/pod-security/evaluate.ts";
import { viewPod } from "../../../../src/kube/admission/pod-security/pod-view.ts";
import type { LevelVersion } from "../../../../src/kube/admission/pod-security/policy.ts";
import { MERGE_PATCH, STRATEGIC_PATCH, type TestApi } from "../endpoints/support.ts";
import { NAMESPACE, openWithPlugins, pod } from "./support.ts";

const LABEL = "pod-security.kubernetes.io/";
const HARDENED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};
const named = (name: string, securityContext: JsonObject = {}, more: JsonObject = {}) => ({
  name,
  image: "i:1",
  securityContext,
  ...more,
});

const found = (policy: LevelVersion, spec: JsonObject, annotations: JsonObject = {}) =>
  inDetail(evaluatePod(policy, viewPod({ metadata: { annotations }, spec })));

describe("baseline", () => {
  const probe = { livenessProbe: { httpGet: { host: "h", port: 1 } } };
  const hook = { lifecycle: { preStop: { tcpSocket: { host: "g", port: 1 } } } };
  const seLinux = (seLinuxOptions: JsonObject) => ({ seLinuxOptions });

  test.each<[string, JsonObject, string]>([
    ["nothing", { containers: [named("a")] }, ""],
    [
      "all namespaces of the host",
      { hostNetwork: true, hostPID: true, hostIPC: true },
      "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)",
    ],
    [
      "ports of the host, by the order of their digits",
      { containers: [named("a", {}, { ports: [{ hostPort: 90 }, { hostPort: 100 }] }), named("b")] },
      'hostPort (container "a" uses hostPorts 100, 90)',
    ],
    [
      "a folder of the host",
      {
        volumes: [
          { name: "v", hostPath: { path: "/" } },
          { name: "w", hostPath: { path: "/" } },
        ],
      },
      'hostPath volumes (volumes "v", "w")',
    ],
    [
      "probes of other hosts",
      { initContainers: [named("i", {}, hook)], containers: [named("a", {}, probe)] },
      'probe or lifecycle host (containers "a", "i" use probe or lifecycle hosts "g", "h")',
    ],
    [
      "privileged containers, in the order of their start",
      {
        initContainers: [named("i", { privileged: true })],
        containers: [named("a", { privileged: true })],
        ephemeralContainers: [named("e", { privileged: true })],
      },
      'privileged (containers "i", "a", "e" must not set securityContext.privileged=true)',
    ],
    [
      "labels of SELinux",
      {
        securityContext: seLinux({ type: "spc_t" }),
        containers: [named("a", seLinux({ user: "u", role: "r" }))],
      },
      'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
    ],
    [
      "no seccomp",
      { containers: [named("a", { seccompProfile: { type: "Unconfined" } })] },
      'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      "processes of a Windows host",
      { containers: [named("a", { windowsOptions: { hostProcess: true } })] },
      'hostProcess (container "a" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
    [
      "no AppArmor",
      { containers: [named("a", { appArmorProfile: { type: "Unconfined" } })] },
      'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined")',
    ],
    [
      "all of /proc, among its own users",
      { hostUsers: false, containers: [named("a", { procMount: "Unmasked" })] },
      "",
    ],
  ])("finds of a Pod with %s", (_what, spec, expected) => {
    expect(found({ level: "baseline" }, spec)).toBe(expected);
  });

  test("finds annotations of AppArmor", () => {
    const annotations = { "container.apparmor.security.beta.kubernetes.io/a": "unconfined" };
    expect(found({ level: "baseline" }, {}, annotations)).toBe(
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/a="unconfined"")',
    );
  });

  test.each<[string, number, JsonObject, string]>([
    [
      "sysctls came to be allowed",
      26,
      { securityContext: { sysctls: [{ name: "net.ipv4.ip_local_reserved_ports" }] } },
      "forbidden sysctls (net.ipv4.ip_local_reserved_ports)",
    ],
    [
      "sysctls are allowed",
      27,
      { securityContext: { sysctls: [{ name: "net.ipv4.ip_local_reserved_ports" }] } },
      "",
    ],
    ["hosts of probes were not looked at", 33, { containers: [named("a", {}, probe)] }, ""],
    [
      "own users did not matter",
      34,
      { hostUsers: false, containers: [named("a", { procMount: "Unmasked" })] },
      'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ],
  ])("in an older version %s: v1.%i", (_what, minor, spec, expected) => {
    expect(found({ level: "baseline", minor }, spec)).toBe(expected);
  });

  test("before 1.19 seccomp stood in annotations", () => {
    const annotations = { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" };
    expect(found({ level: "baseline", minor: 18 }, {}, annotations)).toBe(
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    );
    expect(found({ level: "baseline", minor: 19 }, {}, annotations)).toBe("");
  });
});

describe("restricted", () => {
  test.each<[string, JsonObject, string]>([
    ["a hardened one", { containers: [named("a", HARDENED)] }, ""],
    [
      "what the Pod says for all",
      {
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "Localhost" } },
        containers: [named("a", { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } })],
      },
      "",
    ],
    [
      "who wants to be root",
      { securityContext: { runAsUser: 0 }, containers: [named("a", { ...HARDENED, runAsNonRoot: false })] },
      'runAsNonRoot != true (container "a" must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod must not set runAsUser=0)',
    ],
    [
      "one capability that may be added",
      {
        containers: [named("a", { ...HARDENED, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } })],
      },
      "",
    ],
    [
      "volumes",
      {
        containers: [named("a", HARDENED)],
        volumes: [
          { name: "n", nfs: {} },
          { name: "h", hostPath: {} },
          { name: "i", image: {} },
        ],
      },
      'restricted volume types (volumes "n", "h" use restricted volume types "hostPath", "nfs")',
    ],
    [
      "Windows, which knows none of it",
      {
        os: { name: "windows" },
        containers: [named("a", { runAsNonRoot: true })],
      },
      "",
    ],
  ])("finds of %s", (_what, spec, expected) => {
    expect(found({ level: "restricted" }, spec)).toBe(expected);
  });

  test("asked for less in older versions", () => {
    const spec = { containers: [named("a", { capabilities: { add: ["SYS_ADMIN"] } })] };
    expect(found({ level: "restricted", minor: 7 }, spec)).toBe(
      'non-default capabilities (container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
    );
  });
});

describe("a namespace with labels", () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await openWithPlugins();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  const label = (labels: JsonObject) =>
    api.patch(MERGE_PATCH, NAMESPACE, {
      metadata: {
        labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [LABEL + key, value])),
      },
    });

  test("refuses labels that make no sense, all at once, and only when they change", async () => {
    const answer = await label({ enforce: "strict", "enforce-version": "1.2", "warn-version": "v1.01" });
    expect(answer.status).toBe(422);
    expect(answer.body["message"]).toBe(
      `Namespace "default" is invalid: [metadata.labels[${LABEL}enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[${LABEL}enforce-version]: Invalid value: "1.2": must be "latest" or "v1.x", metadata.labels[${LABEL}warn-version]: Invalid value: "v1.01": must be "latest" or "v1.x"]`,
    );
  });

  test("warns of Pods that are there, by what is wrong with them", async () => {
    const wide = { hostNetwork: true };
    for (const name of ["b", "a", "c"]) await api.post(`${NAMESPACE}/pods`, pod(name, wide));
    await api.post(
      `${NAMESPACE}/pods`,
      pod("d", { hostPID: true, volumes: [{ name: "v", hostPath: { path: "/" } }] }),
    );
    const answer = await label({ enforce: "baseline" });
    expect(answer.status).toBe(200);
    expect(answer.warnings).toEqual([
      'existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest"',
      "a (and 2 other pods): host namespaces",
      "d: host namespaces, hostPath volumes",
    ]);
    expect((await label({ enforce: "privileged" })).warnings).toEqual([]);
  });

  test("warns of templates, and refuses Pods only", async () => {
    await label({ enforce: "baseline", warn: "baseline" });
    const template = {
      metadata: { labels: { a: "b" } },
      spec: { ...(pod("p")["spec"] as JsonObject), hostPID: true },
    };
    const deployment = {
      metadata: { name: "d" },
      spec: { selector: { matchLabels: { a: "b" } }, template },
    };
    const made = await api.post("/apis/apps/v1/namespaces/default/deployments", deployment);
    expect([made.status, made.warnings]).toEqual([
      201,
      ['would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)'],
    ]);
    expect((await api.post(`${NAMESPACE}/pods`, pod("p", { hostPID: true }))).status).toBe(403);
  });

  test("looks at a Pod again when its images change, or containers are added", async () => {
    await api.post(`${NAMESPACE}/pods`, pod("p", { hostPID: true }));
    await label({ enforce: "baseline" });
    const path = `${NAMESPACE}/pods/p`;
    expect((await api.patch(MERGE_PATCH, path, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    const image = { spec: { containers: [{ name: "c", image: "i:2" }] } };
    expect((await api.patch(STRATEGIC_PATCH, path, image)).status).toBe(403);
    const added = { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } };
    const answer = await api.patch(STRATEGIC_PATCH, `${path}/ephemeralcontainers`, added);
    expect(answer.body["message"]).toBe(
      'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    );
  });
});
