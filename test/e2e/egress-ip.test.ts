// An EgressIP follows its nodes, seen through kubectl: labels are added and removed, nodes are deleted, the server is
// killed. The tests run in order and build on each other.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { kubectlProblem, rowsOf } from "../support/kubectl.ts";
import { KubectlSession } from "../support/kubectl-session.ts";

const manifest = (name: string) => join(import.meta.dirname, "manifests", name);
const LABEL = "k8s.ovn.org/egress-assignable";
const ADDRESS = "192.168.126.101";

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/egress-ip.test.ts is skipped\n`);

describe.skipIf(problem !== undefined)("an EgressIP follows its nodes", () => {
  let session: KubectlSession;

  beforeAll(async () => {
    session = await KubectlSession.start();
    await session.text("apply", "-f", manifest("nodes.yaml"), "-f", manifest("egress-ip.yaml"));
  });
  afterAll(() => session?.close());

  const read = (path: string) => session.text("get", "eip", "web", "-o", `jsonpath=${path}`);
  const waitForNode = (name: string) =>
    session.text("wait", "eip/web", `--for=jsonpath={.status.items[0].node}=${name}`, "--timeout=10s");

  test("it is assigned to the first of two equal nodes", async () => {
    await waitForNode("node-a");
    expect(await session.row("web", "get", "eip")).toMatchObject({ "ASSIGNED EGRESSIPS": ADDRESS });
  });

  test("removing the label moves the address to the other node", async () => {
    await session.text("label", "node", "node-a", `${LABEL}-`);
    await waitForNode("node-b");
    expect(await session.row("web", "get", "eip")).toMatchObject({
      "ASSIGNED NODE": "node-b",
      "ASSIGNED EGRESSIPS": ADDRESS,
    });
  });

  test("the label's return moves nothing back", async () => {
    const before = await read("{.metadata.resourceVersion}");
    await session.text("label", "node", "node-a", `${LABEL}=`);
    await session.text("label", "node", "node-a", `${LABEL}-`);
    expect(await read("{.status.items[*].node} {.metadata.resourceVersion}")).toBe(`node-b ${before}`);
  });

  test("kill -9 and a restart change nothing", async () => {
    const line = "{.kind}/{.metadata.name} {.metadata.uid} {.metadata.resourceVersion}";
    const versions = () =>
      session.text(
        "get",
        "eip,nodes,ns,svc,crd,events",
        "-A",
        "-o",
        `jsonpath={range .items[*]}${line}{'\\n'}{end}`,
      );
    const before = await versions();
    expect(before).toMatch(/^EgressIP\/web \S+ \d+$/m);
    expect(before).toMatch(/^CustomResourceDefinition\/egressips\.k8s\.ovn\.org \S+ \d+$/m);
    await session.killAndRestart();
    expect(await session.text("get", "--raw=/readyz")).toBe("ok");
    expect(await versions()).toBe(before);
    expect(await read("{.status.items[*].node}")).toBe("node-b");
  });

  test("deleting the last node leaves no assignment, and an event tells why", async () => {
    expect(await session.text("delete", "node", "node-b")).toBe('node "node-b" deleted\n');
    await eventually(
      () => read("{.status}"),
      (status) => status === '{"items":[]}',
    );
    const events = await eventually(
      async () => rowsOf(await session.text("get", "events")),
      (rows) => rows.some((row) => row["REASON"] === "NoMatchingNodeFound"),
    );
    expect(events.find((row) => row["REASON"] === "NoMatchingNodeFound")).toMatchObject({
      TYPE: "Warning",
      OBJECT: "egressip/web",
      MESSAGE: `no assignable nodes for EgressIP: web, please tag at least one node with label: ${LABEL}`,
    });
  });

  test("a label brings the address back, after a restart as well", async () => {
    await session.killAndRestart();
    await session.text("label", "node", "node-a", `${LABEL}=`);
    await waitForNode("node-a");
  });
});
