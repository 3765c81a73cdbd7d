// The timeline in a real browser: an earlier moment on all views, single steps, playback, the server's clock, and the
// keys.
import { type EgretServer, startEgret } from "egret-apiserver/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/timeline.test.ts is skipped\n`);

const EGRESS_IP = "k8s.ovn.org/v1/EgressIP";
const ready = (status: "True" | "False") => ({ status: { conditions: [{ type: "Ready", status }] } });
const node = (name: string, address: string) => ({
  ...{ apiVersion: "v1", kind: "Node" },
  metadata: {
    name,
    labels: { "k8s.ovn.org/egress-assignable": "" },
    annotations: {
      "k8s.ovn.org/host-cidrs": `["${address}/24"]`,
      "k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"${address}/24"}`,
    },
  },
  ...ready("True"),
});
const OBJECTS = [
  ...[node("node-a", "192.168.126.11"), node("node-b", "192.168.126.12")],
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { team: "shop" } } },
  {
    ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: "web" } },
    spec: { egressIPs: ["192.168.126.101"], namespaceSelector: { matchLabels: { team: "shop" } } },
  },
];
const objects = OBJECTS.map((one) => JSON.stringify(one)).join("\n---\n");

const holderOf = async (server: EgretServer): Promise<string> => {
  const { status } = await server.client.get(EGRESS_IP, "web");
  return status?.items?.[0]?.node ?? "";
};

/** Fails the node that holds the address, and waits until another does. */
async function failOver(server: EgretServer): Promise<{ readonly from: string; readonly to: string }> {
  const has = "object != null && has(object.status) && object.status.items.size() == 1";
  await server.waitFor({ kind: EGRESS_IP, name: "web" }, has);
  const from = await holderOf(server);
  await server.client.patch("v1/Node", from, ready("False"), { subresource: "status" });
  await server.waitFor(
    { kind: EGRESS_IP, name: "web" },
    `${has} && object.status.items[0].node != '${from}'`,
  );
  return { from, to: await holderOf(server) };
}

const addressOf = (page: Page) =>
  page
    .getByRole("region", { name: "Leaves by" })
    .getByRole("button", { name: /^192\.168\.126\.101 of EgressIP web/ });
const shownOn = (page: Page, where: string) =>
  page.getByRole("button", { name: new RegExp(`^192\\.168\\.126\\.101 of EgressIP web, on ${where}`) });
const strip = (page: Page) => page.getByRole("region", { name: "Moment" });

describe.skipIf(problem !== undefined)("the line of time", () => {
  let server: EgretServer;
  let browser: TestBrowser;
  let first: { readonly from: string; readonly to: string };
  beforeAll(async () => {
    browser = await TestBrowser.open();
    server = await startEgret({ objects });
    first = await failOver(server);
    await server.client.patch("v1/Node", first.from, ready("True"), { subresource: "status" });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  const open = (path: string) => browser.page(`${server.url}/egret/ui/${path}`);

  test("scrubs back: the map shows who held an address then, and nothing can be written", async () => {
    const { page, complaints } = await open("time");
    const moved = page.getByRole("row", {
      name: `192.168.126.101 of EgressIP web moved from ${first.from} to ${first.to}`,
    });
    await moved.waitFor();
    await page.getByRole("slider", { name: "Moment" }).press("Home");
    await strip(page).getByText("You see").waitFor();
    await moved.getByRole("button").click();
    await page
      .getByRole("region", { name: "Chosen entry" })
      .getByText(`${first.from} was not Ready any more.`)
      .waitFor();
    const at = Number(new URL(page.url()).searchParams.get("at"));
    await page.goto(`${server.url}/egret/ui/map?at=${at - 1}`);
    await shownOn(page, first.from).waitFor();
    await page.getByRole("button", { name: `Node ${first.from}, not Ready` }).waitFor();
    // A link of the page stays in that moment.
    await page.getByRole("link", { name: "Objects", exact: true }).click();
    await page.getByRole("link", { name: "EgressIP", exact: true }).click();
    await page.getByRole("link", { name: "web", exact: true }).click();
    await page.getByRole("region", { name: "YAML" }).getByText(`node: ${first.from}`).waitFor();
    expect(await page.getByRole("button", { name: /Apply|Delete/ }).count()).toBe(0);
    await page.getByRole("link", { name: "Lab", exact: true }).click();
    await page.getByText("go back to now to use it").waitFor();
    await page.goto(`${server.url}/egret/ui/whatif?do=delete:node/${first.to}&at=${at - 1}`);
    await page.getByText("Go back to now to make it real.").waitFor();
    await page
      .getByRole("region", { name: "Egress addresses" })
      .getByRole("cell", { name: first.to })
      .waitFor();
    expect(await page.getByRole("button", { name: "Make it real" }).count()).toBe(0);
    await page.getByRole("link", { name: "Map", exact: true }).click();
    await shownOn(page, first.from).waitFor();
    await page.getByRole("button", { name: "Back to now" }).click();
    await shownOn(page, first.to).waitFor();
    expect(complaints).toEqual([]);
  });

  test("leaps from move to move, and the address is seen moving", async () => {
    const { page, complaints } = await open("map");
    await shownOn(page, first.to).waitFor();
    await page.keyboard.press("[");
    await strip(page).getByText("You see").waitFor();
    const at = Number(new URL(page.url()).searchParams.get("at"));
    await page.getByRole("slider", { name: "Moment" }).press("ArrowLeft");
    await page.waitForURL(`**/map?at=${at - 1}`);
    await shownOn(page, first.from).waitFor();
    await page.evaluate(`
      globalThis.seen = [];
      new MutationObserver(() => {
        for (const one of document.querySelectorAll(".address.move")) seen.push(one.getAttribute("aria-label"));
      }).observe(document, { subtree: true, childList: true, attributes: true });
    `);
    await page.keyboard.press("]");
    await page.waitForURL(`**/map?at=${at}`);
    await page.getByRole("status").getByText(`moved from ${first.from} to ${first.to}`).waitFor();
    expect(await page.evaluate<string>("seen.join()")).toContain(`moving from ${first.from} to ${first.to}`);
    await page.keyboard.press("]");
    await page.waitForURL(/\/map$/);
    await addressOf(page).waitFor();
    expect(complaints).toEqual([]);
  });

  test("plays what happened, from the beginning to now", async () => {
    const { page, complaints } = await open("time");
    await page.getByRole("row", { name: /moved from/ }).waitFor();
    await page.evaluate(`
      globalThis.moments = new Set();
      new MutationObserver(() => moments.add(location.search)).observe(document, { subtree: true, childList: true, characterData: true });
    `);
    await strip(page).getByRole("combobox", { name: "Speed" }).selectOption("100");
    await page.getByRole("main").click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("Space");
    await strip(page).getByRole("button", { name: "Pause" }).waitFor();
    await strip(page).getByText("You see what is now.").waitFor();
    await strip(page).getByRole("button", { name: "Play" }).waitFor();
    expect(await page.evaluate<number>("moments.size")).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
  });

  test("the keys lead everywhere, and the help says so", async () => {
    const { page, complaints } = await open("map");
    await addressOf(page).focus();
    await page.keyboard.press("e");
    await page.waitForURL("**/o/k8s.ovn.org/v1/egressips/-/web?tab=explain");
    await page.keyboard.press("w");
    await page.waitForURL("**/whatif?do=delete:egressip/web");
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await addressOf(page).focus();
    await page.keyboard.press("t");
    await page.waitForURL("**/trace?from=ns/shop");
    for (const [letter, view] of Object.entries({ l: "time", b: "lab", r: "traffic", o: "o", m: "map" })) {
      await page.keyboard.press("g");
      await page.keyboard.press(letter);
      await page.waitForURL(`**/egret/ui/${view}`);
    }
    await addressOf(page).waitFor();
    await page.keyboard.press("v");
    await page.getByRole("cell", { name: "192.168.126.101" }).waitFor();
    await page.keyboard.press("v");
    await page.keyboard.press("/");
    await page.locator("input:focus").fill("n?");
    await page.waitForURL(/q=n/);
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/map$/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("w");
    await page.getByText("Choose a row of the map first").waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keys" });
    await help.getByText("the move before, the next move").waitFor();
    await help.getByRole("checkbox").uncheck();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.keyboard.press("v");
    expect(page.url()).not.toContain("table");
    await page.getByRole("button", { name: "Keys" }).click();
    await help.getByRole("checkbox").check();
    expect(complaints).toEqual([]);
  });

  test("freezes the server's clock, moves it on, and lets it run", async () => {
    const { page, complaints } = await open("time");
    const clock = page.getByRole("region", { name: "The server's clock" });
    await clock.getByRole("button", { name: "Freeze" }).click();
    await clock.getByText("It stands at").waitFor();
    const asked = async () => {
      const answer = await fetch(`${server.url}/egret/v1/clock`);
      return (await answer.json()) as { readonly mode: string; readonly now: string };
    };
    const before = Date.parse((await asked()).now);
    await clock.getByRole("button", { name: "+ 10s" }).click();
    await expect.poll(async () => Date.parse((await asked()).now) - before).toBe(10_000);
    await clock.getByRole("textbox", { name: "Advance by" }).fill("soon");
    await clock.getByRole("button", { name: "Advance", exact: true }).click();
    await clock.getByRole("alert").getByText("soon").waitFor();
    await clock.getByRole("textbox", { name: "Advance by" }).fill("1h");
    await clock.getByRole("textbox", { name: "Advance by" }).press("Enter");
    const hasPassed = async () => Date.parse((await asked()).now) - before;
    await expect.poll(hasPassed, { timeout: 20_000 }).toBe(3_610_000);
    await clock.getByRole("button", { name: "Let it run" }).click();
    await expect.poll(async () => (await asked()).mode).toBe("real");
    expect(complaints).toEqual([]);
  });

  test("says what the server has forgotten", async () => {
    const { items } = (await (await fetch(`${server.url}/api/v1/namespaces`)).json()) as { items: unknown[] };
    expect(items.length).toBeGreaterThan(0);
    const made = await server.client.patch("v1/Namespace", "shop", { metadata: { labels: { now: "1" } } });
    const revision = Number(made.metadata.resourceVersion);
    const answer = await fetch(`${server.url}/egret/v1/compact`, {
      ...{ method: "POST", headers: { "Content-Type": "application/json" } },
      body: JSON.stringify({ revision }),
    });
    expect(answer.status).toBe(200);
    const { page, complaints } = await open("time?at=5");
    await strip(page).getByText("The server has forgotten revision 5").waitFor();
    await page.getByText(/What was before revision [\d,]+ is no longer kept/).waitFor();
    await strip(page).getByRole("button", { name: "Back to now" }).click();
    await strip(page).getByText("You see what is now.").waitFor();
    expect(complaints).toEqual([]);
  });
});

test.skipIf(problem !== undefined)("10,000 entries stay usable", async () => {
  const entries = 10_000;
  await using server = await startEgret({ controllers: [] });
  const lines = Array.from({ length: entries }, (_, index) =>
    JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: `ns-${index}` } }),
  );
  const answer = await fetch(`${server.url}/egret/v1/import`, {
    ...{ method: "POST", headers: { "Content-Type": "application/x-ndjson" }, body: lines.join("\n") },
  });
  expect(answer.status).toBe(200);
  await answer.text();
  await using browser = await TestBrowser.open();
  const { page, complaints } = await browser.page(`${server.url}/egret/ui/time`);
  await page.getByRole("row", { name: /Namespace ns-9999 was created/ }).waitFor();
  const table = page.getByRole("table");
  expect(Number(await table.getAttribute("aria-rowcount"))).toBeGreaterThan(entries);
  expect(await table.getByRole("row").count()).toBeLessThan(100);
  await page.keyboard.press("/");
  await page.keyboard.type("ns-4321 ");
  const found = page.getByRole("row", { name: /Namespace ns-4321 was created/ });
  await found.getByRole("button").click();
  await strip(page).getByText("You see").waitFor();
  await page.getByRole("slider", { name: "Moment" }).press("End");
  await strip(page).getByText("You see what is now.").waitFor();
  expect(complaints).toEqual([]);
});
