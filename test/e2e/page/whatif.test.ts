// A plan on the map, in a real browser: from a node of the map to the ghosts of the addresses that would move, and back
// without side effects.
import { type EgretServer, startEgret } from "egret-apiserver/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const EGRESS_IP = "k8s.ovn.org/v1/EgressIP";
const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/whatif.test.ts is skipped\n`);

const node = (name: string, address: string) => `
apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels: {k8s.ovn.org/egress-assignable: ""}
  annotations:
    k8s.ovn.org/host-cidrs: '["${address}/24"]'
    k8s.ovn.org/node-primary-ifaddr: '{"ipv4":"${address}/24"}'
status: {conditions: [{type: Ready, status: "True"}]}
---`;
/** As many addresses as nodes: of those of "all" one would have no node without one of these. */
const OBJECTS = `${node("n1", "192.168.126.11")}${node("n2", "192.168.126.12")}
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: shop}}
---
apiVersion: k8s.ovn.org/v1
kind: EgressIP
metadata: {name: all}
spec: {egressIPs: [192.168.126.101, 192.168.126.102], namespaceSelector: {matchLabels: {team: shop}}}
---
apiVersion: k8s.ovn.org/v1
kind: EgressIP
metadata: {name: one}
spec: {egressIPs: [192.168.126.103], namespaceSelector: {matchLabels: {team: shop}}}
`;

describe.skipIf(problem !== undefined)("a plan", () => {
  let server: EgretServer;
  let browser: TestBrowser;
  let holder = "";
  beforeAll(async () => {
    server = await startEgret({ objects: OBJECTS });
    browser = await TestBrowser.open();
    await server.waitFor({ kind: EGRESS_IP, name: "all" }, "size(object.status.items) == 2");
    const one = await server.waitFor({ kind: EGRESS_IP, name: "one" }, "size(object.status.items) == 1");
    holder = (one as unknown as { status: { items: { node: string }[] } }).status.items[0]?.node ?? "";
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  test("of a node's failure begins on the map, shows ghosts, and is thrown away", async () => {
    const other = holder === "n1" ? "n2" : "n1";
    const before = await server.client.list(EGRESS_IP);
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/map`);
    await page.getByRole("button", { name: `Node ${holder}, Ready · assignable` }).click();
    await page.getByRole("link", { name: "What if this node fails?" }).click();
    const ghosts = page.getByRole("region", { name: "What would move" });
    await ghosts
      .getByRole("button", { name: `192.168.126.103 of EgressIP one, on ${holder}, would be on ${other}` })
      .waitFor();
    await ghosts
      .getByRole("button", { name: new RegExp(`of EgressIP all, on ${holder}, would have no node`) })
      .waitFor();
    await ghosts
      .getByRole("button", { name: `Node ${holder}, Ready · assignable, would be not Ready · would hold 0` })
      .waitFor();
    expect(await ghosts.locator("path.line.ghost").count()).toBe(1);
    expect(await ghosts.locator("path.line.lost").count()).toBe(1);
    expect((await server.client.list(EGRESS_IP)).items).toEqual(before.items);
    await page.getByRole("button", { name: "Throw away" }).click();
    await ghosts.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  test("of one more address shows it where it would be, and makes it real", async () => {
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/whatif`);
    await page.getByLabel("What happens to it").selectOption("address");
    await page.getByLabel("What if", { exact: true }).fill("one");
    await page.getByLabel("Address", { exact: true }).fill("192.168.126.104");
    await page.getByRole("button", { name: "Try it" }).click();
    const ghosts = page.getByRole("region", { name: "What would move" });
    await ghosts
      .getByRole("button", { name: /^192\.168\.126\.104 of EgressIP one, not there yet/ })
      .waitFor();
    await page.getByRole("button", { name: "Make it real" }).click();
    await server.waitFor({ kind: EGRESS_IP, name: "one" }, "size(object.status.items) == 2");
    expect(complaints).toEqual([]);
  });
});
