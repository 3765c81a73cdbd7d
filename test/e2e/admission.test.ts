// LimitRange, ResourceQuota and Pod Security admission as a kubectl user sees them, against the built server.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { kubectlProblem } from "../support/kubectl.ts";
import { KubectlSession } from "../support/kubectl-session.ts";

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/admission.test.ts is skipped\n`);

describe.skipIf(problem !== undefined)("kubectl", () => {
  let session: KubectlSession;

  beforeAll(async () => {
    session = await KubectlSession.start();
  });
  afterAll(() => session?.close());

  const kubectl = (line: string) => session.text(...line.split(" "));
  const refusal = (line: string) => kubectl(line).then(() => "", String);
  const countedAsNone = () =>
    eventually(
      () => kubectl("get quota few -n team -o jsonpath={.status.used.configmaps}"),
      (used) => used === "0",
    );

  test("create quota limits what a namespace holds, and describe tells how much is used", async () => {
    await kubectl("create namespace team");
    await kubectl("create quota few --hard=configmaps=1 -n team");
    await countedAsNone();
    await kubectl("create configmap a -n team");
    expect(await refusal("create configmap b -n team")).toContain(
      'configmaps "b" is forbidden: exceeded quota: few, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    );
    expect(await kubectl("describe quota few -n team")).toMatch(/configmaps\s+1\s+1/);
    await kubectl("delete configmap a -n team");
    await countedAsNone();
  });

  test("a LimitRange gives containers what they do not ask for", async () => {
    const limits = [{ type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" } }];
    const range = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "l" }, spec: { limits } };
    await session.kubectl.text(["apply", "-n", "team", "-f", "-"], { input: JSON.stringify(range) });
    expect(await kubectl("describe limitrange l -n team")).toMatch(/Container\s+cpu\s+-\s+-\s+100m\s+500m/);
    await kubectl("run p --image=i:1 -n team");
    const path = "{.spec.containers[0].resources.limits.cpu}";
    expect(await kubectl(`get pod p -n team -o jsonpath=${path}`)).toBe("500m");
  });

  test("a restricted namespace refuses Pods that do not say how little they may", async () => {
    await kubectl("create namespace safe");
    await kubectl("label namespace safe pod-security.kubernetes.io/enforce=restricted");
    expect(await refusal("run p --image=i:1 -n safe")).toContain(
      'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
    );
  });
});
