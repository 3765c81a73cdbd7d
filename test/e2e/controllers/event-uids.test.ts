// Events about an EgressIP as ovn-kubernetes writes them, which kubectl does not find for the object, and with
// --event-uids.
import { afterEach, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { kubectlProblem } from "../../support/kubectl.ts";
import { KubectlSession } from "../../support/kubectl-session.ts";

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/event-uids.test.ts is skipped\n`);

const EGRESS_IP = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { name: "web" },
  spec: { egressIPs: ["192.0.2.1"], namespaceSelector: { matchLabels: { app: "web" } } },
};

describe.skipIf(problem !== undefined)("Events about an EgressIP", () => {
  let session: KubectlSession | undefined;
  afterEach(() => session?.close());

  async function start(flags: readonly string[]) {
    session = await KubectlSession.start(flags);
    const { kubectl } = session;
    const text = (command: string, input?: object) =>
      kubectl.text(command.split(" "), input === undefined ? {} : { input: JSON.stringify(input) });
    await text("create -f -", EGRESS_IP);
    await eventually(
      () => text("get events"),
      (found) => found.includes("NoMatchingNodeFound"),
    );
    const about = JSON.parse(await text("get events -o jsonpath={.items[0].involvedObject}"));
    const uid = await text("get eip web -o jsonpath={.metadata.uid}");
    return {
      about,
      uid,
      described: await text("describe eip web"),
      listed: await text("events --for egressip/web"),
    };
  }

  test("have upstream's form", async () => {
    const { about, described } = await start([]);
    expect(about).toEqual({ kind: "EgressIP", name: "web" });
    expect(described).not.toContain("NoMatchingNodeFound");
  });

  test("are found by their object with --event-uids", async () => {
    const { about, uid, described, listed } = await start(["--event-uids"]);
    expect(about).toEqual({ kind: "EgressIP", name: "web", uid, apiVersion: "k8s.ovn.org/v1" });
    expect(described).toContain("NoMatchingNodeFound");
    expect(listed).toContain("NoMatchingNodeFound");
  });
});
