// Networks of one namespace, seen through kubectl: the objects created for a UserDefinedNetwork, an EgressRouter and pods
// with additional networks, and their cleanup. The tests run in order and build on each other.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { kubectlProblem } from "../support/kubectl.ts";
import { KubectlSession } from "../support/kubectl-session.ts";

const MANIFEST = join(import.meta.dirname, "manifests", "networks.yaml");
const POOL = ["-n", "kube-system", "get", "ippool", "192.168.2.0-30", "-o", "jsonpath={.spec.allocations}"];

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/networks.test.ts is skipped\n`);

describe.skipIf(problem !== undefined)("the networks of a namespace", () => {
  let session: KubectlSession;

  beforeAll(async () => {
    session = await KubectlSession.start();
    await session.text("create", "namespace", "shop");
    await session.text("apply", "-f", MANIFEST);
  });
  afterAll(() => session?.close());

  const names = async (kind: string): Promise<string[]> =>
    (await session.text("-n", "shop", "get", kind, "-o", "name")).trim().split("\n").sort();
  const holders = async (): Promise<string[]> => {
    const entries = Object.values(JSON.parse((await session.text(...POOL)) || "{}"));
    return entries.map((entry) => (entry as { podref: string }).podref).sort();
  };
  const startPod = (name: string): Promise<string> => {
    const metadata = { annotations: { "k8s.v1.cni.cncf.io/networks": "storage" } };
    const overrides = JSON.stringify({ apiVersion: "v1", metadata });
    return session.text("-n", "shop", "run", name, "--image=i", `--overrides=${overrides}`);
  };

  test("a UserDefinedNetwork gets a NetworkAttachmentDefinition, and every node a part of it", async () => {
    await session.text("-n", "shop", "wait", "userdefinednetwork/blue", "--for=condition=NetworkCreated");
    const config = await session.text(
      "-n",
      "shop",
      "get",
      "net-attach-def",
      "blue",
      "-o",
      "jsonpath={.spec.config}",
    );
    expect(JSON.parse(config)).toMatchObject({ name: "shop_blue", topology: "layer3", role: "secondary" });
    const node = () => session.text("get", "node", "worker-1", "-o", "jsonpath={.metadata.annotations}");
    await eventually(node, (text) => text.includes("shop_blue"));
  });

  test("an EgressRouter gets a NetworkAttachmentDefinition and a Deployment", async () => {
    await eventually(
      () => names("deployments"),
      (found) => found.includes("deployment.apps/egress-router-cni-deployment"),
    );
    expect(await names("net-attach-def")).toEqual(
      ["blue", "egress-router-cni-nad", "storage"].map(
        (name) => `networkattachmentdefinition.k8s.cni.cncf.io/${name}`,
      ),
    );
  });

  test("pods get addresses while there are any; who is left says so, and gets the next one freed", async () => {
    for (const name of ["a", "b", "c"]) await startPod(name);
    const events = () => session.text("-n", "shop", "events", "--for", "pod/c");
    await eventually(events, (text) => text.includes("Could not allocate IP in range"));
    expect(await holders()).toEqual(["shop/a", "shop/b"]);
    await session.text("-n", "shop", "delete", "pod", "a", "--force", "--grace-period=0");
    await eventually(holders, (found) => found.join() === "shop/b,shop/c");
  });

  test("all of it outlives the server", async () => {
    await session.killAndRestart();
    expect(await holders()).toEqual(["shop/b", "shop/c"]);
    expect(await names("net-attach-def")).toHaveLength(3);
  });

  test("what was made goes with its owner", async () => {
    await session.text("-n", "shop", "delete", "userdefinednetwork", "blue", "--timeout=10s");
    await session.text("-n", "shop", "delete", "egressrouter", "router");
    await eventually(
      () => names("net-attach-def,deployments"),
      (found) => found.join() === "networkattachmentdefinition.k8s.cni.cncf.io/storage",
    );
    await session.text("delete", "namespace", "shop", "--timeout=20s");
    await eventually(holders, (found) => found.length === 0);
  });
});
