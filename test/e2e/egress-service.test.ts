// An EgressService follows its Service and its nodes, seen through kubectl, as src/controller/README.md describes. The
// tests run in order and build on each other.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubectlProblem } from "../support/kubectl.ts";
import { KubectlSession } from "../support/kubectl-session.ts";

const manifest = (name: string) => join(import.meta.dirname, "manifests", name);
const IN_TEAM = ["-n", "team-web"] as const;

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/egress-service.test.ts is skipped\n`);

describe.skipIf(problem !== undefined)("an EgressService", () => {
  let session: KubectlSession;

  beforeAll(async () => {
    session = await KubectlSession.start(["--controllers=*"]);
    await session.text("apply", "-f", manifest("nodes.yaml"), "-f", manifest("egress-service.yaml"));
  });
  afterAll(() => session?.close());

  const patchStatus = (kind: string, name: string, status: unknown) =>
    session.text(
      "patch",
      ...IN_TEAM,
      kind,
      name,
      "--subresource=status",
      "--type=merge",
      "-p",
      JSON.stringify({ status }),
    );
  const waitForHost = (name: string) =>
    session.text(
      "wait",
      ...IN_TEAM,
      "egressservice/web",
      `--for=jsonpath={.status.host}=${name}`,
      "--timeout=10s",
    );
  const labelled = () =>
    session.text("get", "nodes", "-l", "egress-service.k8s.ovn.org/team-web-web", "-o", "name");

  test("gets a host when its Service has an address and a pod", async () => {
    await patchStatus("service", "web", { loadBalancer: { ingress: [{ ip: "192.0.2.10" }] } });
    await patchStatus("pod", "web-1", {
      phase: "Running",
      podIP: "10.128.0.5",
      podIPs: [{ ip: "10.128.0.5" }],
      conditions: [{ type: "Ready", status: "True" }],
    });
    await waitForHost("node-a");
    expect((await labelled()).trim()).toBe("node/node-a");
  });

  test("finds its endpoints in the EndpointSlice of its Service, and kubectl in its description", async () => {
    const slices = await session.text("get", ...IN_TEAM, "endpointslices", "--no-headers");
    expect(slices).toMatch(/^web-[a-z0-9]{5} +IPv4 +8080 +10\.128\.0\.5 /);
    expect(await session.text("describe", ...IN_TEAM, "service", "web")).toMatch(
      /^Endpoints: +10\.128\.0\.5:8080$/m,
    );
  });

  test("moves to the node that is chosen", async () => {
    const spec = { nodeSelector: { matchLabels: { "kubernetes.io/hostname": "node-b" } } };
    await session.text("label", "node", "node-b", "kubernetes.io/hostname=node-b");
    await session.text(
      "patch",
      ...IN_TEAM,
      "egressservice",
      "web",
      "--type=merge",
      "-p",
      JSON.stringify({ spec }),
    );
    await waitForHost("node-b");
    expect((await labelled()).trim()).toBe("node/node-b");
  });

  test("goes with its namespace, once its pod has ended, and so do the slices and what every namespace has", async () => {
    const names = await session.text("get", ...IN_TEAM, "serviceaccounts,configmaps", "-o", "name");
    expect(names.trim().split("\n")).toEqual(["serviceaccount/default", "configmap/kube-root-ca.crt"]);
    await session.text("delete", ...IN_TEAM, "pod", "web-1", "--grace-period=0", "--force");
    await session.text("delete", "namespace", "team-web", "--timeout=20s");
    expect((await labelled()).trim()).toBe("");
    expect(await session.text("get", "endpointslices", "-A", "-o", "name")).not.toContain("web-");
  });
});

test.skipIf(problem !== undefined)(
  "over HTTPS every namespace holds the authority of the kubeconfig",
  async () => {
    const session = await KubectlSession.start(["--secure", "--controllers=*"]);
    try {
      const path = "jsonpath={.clusters[0].cluster.certificate-authority-data}";
      const encoded = await session.text("config", "view", "--raw", "-o", path);
      await session.text("create", "namespace", "team-web");
      await session.text("wait", ...IN_TEAM, "--for=create", "configmap/kube-root-ca.crt", "--timeout=10s");
      const held = await session.text(
        "get",
        ...IN_TEAM,
        "configmap",
        "kube-root-ca.crt",
        "-o",
        "jsonpath={.data.ca\\.crt}",
      );
      expect(held.trim()).toBe(Buffer.from(encoded, "base64").toString().trim());
    } finally {
      await session.close();
    }
  },
);
