// A server without egress nodes: the map offers to create them, and reports when the server is unreachable.
import { startEgret } from "egret-apiserver/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/first-nodes.test.ts is skipped\n`);
const NODE = "v1/Node";
const ASSIGNABLE = "k8s.ovn.org/egress-assignable";

describe.skipIf(problem !== undefined)("a map on which nothing can leave yet", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });

  test("offers nodes where there are none, and is dimmed when nobody answers", async () => {
    const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: shop}}\n";
    const server = await startEgret({ objects: namespace });
    const egressIp = {
      ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: "web" } },
      spec: { egressIPs: ["192.168.126.101"], namespaceSelector: { matchLabels: { team: "shop" } } },
    };
    await server.client.create(egressIp as never);
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/map`);
    await page.getByRole("button", { name: "Add 3 nodes" }).click();
    await page.getByRole("button", { name: /^192\.168\.126\.101 of EgressIP web, on worker-/ }).waitFor();
    expect((await server.client.list(NODE)).items).toHaveLength(3);
    expect(complaints).toEqual([]);
    await server[Symbol.asyncDispose]();
    await page.getByText("Not connected", { exact: true }).waitFor();
    await page.locator("main.stale").waitFor();
  });

  test("offers the label where no node carries it", async () => {
    const node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n";
    await using server = await startEgret({ objects: node });
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/map`);
    const notice = page.getByText(`No node carries the label ${ASSIGNABLE}`);
    await notice.waitFor();
    await page.getByRole("button", { name: "n1", exact: true }).click();
    await server.waitFor({ kind: NODE, name: "n1" }, `'${ASSIGNABLE}' in object.metadata.labels`);
    await notice.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });
});
