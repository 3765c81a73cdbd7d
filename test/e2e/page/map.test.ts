// The map in a real browser: an animated failover, texts that contain markup, and a large cluster.
import { type EgretServer, startEgret } from "egret-apiserver/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined) console.log(`The map is not tried: ${problem}`);

const ready = (status: "True" | "False") => ({ status: { conditions: [{ type: "Ready", status }] } });
const node = (name: string, address: string) => ({
  ...{ apiVersion: "v1", kind: "Node" },
  metadata: {
    name,
    labels: { "k8s.ovn.org/egress-assignable": "", "topology.kubernetes.io/zone": "west" },
    annotations: {
      "k8s.ovn.org/host-cidrs": `["${address}/24"]`,
      "k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"${address}/24"}`,
    },
  },
  ...ready("True"),
});
const namespace = (name: string) => ({
  ...{ apiVersion: "v1", kind: "Namespace" },
  metadata: { name, labels: { team: name } },
});
const egressIp = (name: string, address: string, team: string, on?: string) => ({
  ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name } },
  spec: { egressIPs: [address], namespaceSelector: { matchLabels: { team } } },
  ...(on === undefined ? {} : { status: { items: [{ egressIP: address, node: on }] } }),
});

/** In the page: what is seen for a moment. */
const WRITE_DOWN = `
  globalThis.seen = [];
  new MutationObserver(() => {
    for (const one of document.querySelectorAll(".address.move")) seen.push(one.getAttribute("aria-label"));
    for (const one of document.querySelectorAll(".chip")) seen.push(one.textContent);
    for (const one of document.querySelectorAll(".line.old")) seen.push(one.getAttribute("class"));
  }).observe(document, { subtree: true, childList: true, attributes: true });
`;

describe.skipIf(problem !== undefined)("the map", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });

  test("shows an address move when its node fails, and says so", async () => {
    const objects = [
      ...[node("node-a", "192.168.126.11"), node("node-b", "192.168.126.12"), namespace("shop")],
      ...[egressIp("web", "192.168.126.101", "shop"), egressIp("lost", "10.9.9.9", "shop")],
    ];
    await using server = await startEgret({
      objects: objects.map((one) => JSON.stringify(one)).join("\n---\n"),
    });
    await server.waitFor(
      { kind: "k8s.ovn.org/v1/EgressIP", name: "web" },
      "object != null && has(object.status) && object.status.items.size() == 1",
    );
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/`);
    const address = page
      .getByRole("region", { name: "Leaves by" })
      .getByRole("button", { name: /^192\.168\.126\.101 of EgressIP web/ });
    await address.waitFor();
    const said = (await address.getAttribute("aria-label")) ?? "";
    const [from, to] = said.endsWith("node-a") ? ["node-a", "node-b"] : ["node-b", "node-a"];
    await page.getByText("no network of an assignable node contains it").first().waitFor();
    // What is seen for a moment is written down when it is seen, however slow the browser is.
    await page.evaluate(WRITE_DOWN);
    await server.client.patch("v1/Node", from, ready("False"), { subresource: "status" });
    await page
      .getByRole("status")
      .getByText(`192.168.126.101 of EgressIP web moved from ${from} to ${to}.`)
      .waitFor();
    const seen = await page.evaluate<string>("seen.join()");
    expect(seen).toContain(`192.168.126.101 of EgressIP web, moving from ${from} to ${to}`);
    expect(seen).toContain(".101 ⇢");
    expect(seen).toContain("line old");
    await page.getByRole("button", { name: `Node ${from}, zone west, not Ready` }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("says what can be tried once the demo is there, and never again", async () => {
    await using server = await startEgret({});
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/`);
    await page.getByRole("button", { name: "Load the demo" }).click();
    const hints = page.getByRole("region", { name: "What to try" });
    await hints.getByRole("button", { name: /^Switch .* off$/ }).click();
    await page.getByRole("status").getByText(/moved/).waitFor();
    await hints.getByRole("button", { name: /^Undo/ }).click();
    await hints.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("region", { name: "Leaves by" }).getByText("8 EgressIPs").waitFor();
    expect(await hints.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  describe("of a server that decides nothing", () => {
    let server: EgretServer;
    beforeAll(async () => {
      server = await startEgret({ controllers: [] });
      const teams = Array.from({ length: 200 }, (_, at) => namespace(`team-${at}`));
      const nodes = Array.from({ length: 20 }, (_, at) => node(`node-${at}`, `10.1.0.${at + 1}`));
      const egressIps = Array.from({ length: 5_000 }, (_, at) =>
        egressIp(`eip-${at}`, `10.9.${at >> 8}.${at & 255}`, `team-${at % 200}`, `node-${at % 20}`),
      );
      const hostile = egressIp("hostile", "10.8.0.1", "team-7", '<img src=x onerror="alert(1)">\u202e');
      const lines = [...teams, ...nodes, ...egressIps, hostile].map((one) => `${JSON.stringify(one)}\n`);
      const answer = await fetch(`${server.url}/egret/v1/import`, {
        method: "POST",
        headers: { "Content-Type": "application/x-ndjson" },
        body: lines.join(""),
      });
      expect(answer.status).toBe(200);
      await answer.text();
    });
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
    });

    test("5,001 EgressIPs are folded, found, opened by the keyboard, and listed", async () => {
      // So high that all groups are seen, and therefore built.
      const viewport = { width: 1280, height: 1600 };
      const { page, complaints } = await browser.page(`${server.url}/egret/ui/map`, { viewport });
      const column = page.getByRole("region", { name: "Leaves by" });
      await column.getByText("5,001 EgressIPs").waitFor();
      expect(await page.getByRole("listitem").count()).toBeLessThanOrEqual(120);
      const counts = await column.getByRole("button", { name: /^[\d,]+ on / }).allTextContents();
      const total = counts.reduce(
        (sum, text) => sum + Number(/[\d,]+/.exec(text)?.[0].replaceAll(",", "")),
        0,
      );
      const single = await column.getByRole("button", { name: /of EgressIP/ }).count();
      expect(total + single).toBe(5_001);
      await column.getByRole("button", { name: /^250 on node-0/ }).focus();
      await page.keyboard.press("Enter");
      await column.getByRole("button", { name: "10.9.0.0 of EgressIP eip-0, on node-0" }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.locator('button:focus[aria-label*="eip-0,"]').waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("eip-4321");
      await column.getByRole("button", { name: "10.9.16.225 of EgressIP eip-4321, on node-1" }).waitFor();
      expect(page.url()).toContain("q=eip-4321");
      await page.getByRole("button", { name: /^Clear filters/ }).click();
      await page.getByRole("button", { name: "Table" }).click();
      await page.getByRole("button", { name: "4,501 more · show 500" }).waitFor();
      expect(complaints).toEqual([]);
    });

    test("what would be markup is text", async () => {
      const { page, complaints } = await browser.page(`${server.url}/egret/ui/map?q=hostile`);
      await page.getByText('<img src=x onerror="alert(1)">').first().waitFor();
      expect(await page.locator("main img").count()).toBe(0);
      expect(complaints).toEqual([]);
    });
  });
});
