// Connection of the web UI: one watch of each kind for all tabs, and a server that restarts with other objects.
import { startEgret } from "egret-apiserver/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined) console.log(`The connection of the page is not tried: ${problem}`);

const WATCHED = [
  "namespaces",
  "nodes",
  "pods",
  "services",
  "egressips",
  "egressservices",
  "cloudprivateipconfigs",
];

const egressIp = (name: string) => ({
  ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name } },
  spec: { egressIPs: ["192.0.2.1"], namespaceSelector: { matchLabels: { team: "shop" } } },
});

const untilLive = (page: Page) => page.getByText("● live").waitFor();

/** On the map, whatever it says of it there. */
const named = (page: Page, name: string) => page.locator("main").getByText(name, { exact: true }).first();

describe.skipIf(problem !== undefined)("the page", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });

  test("watches each kind once for all tabs, and begins anew with a server that holds other objects", async () => {
    const first = await startEgret({ objects: egressIp("first") });
    const { page, complaints } = await browser.page(`${first.url}/egret/ui/map`);
    const other = await page.context().newPage();
    await other.goto(page.url());
    for (const tab of [page, other]) {
      await untilLive(tab);
      await named(tab, "first").waitFor();
    }
    const watches = first.requests
      .entries({ verb: "watch" })
      .filter(({ userAgent }) => /Chrom/.test(userAgent));
    expect(watches.map(({ resource }) => resource).sort()).toEqual([...WATCHED].sort());

    const { host } = new URL(first.url);
    await first[Symbol.asyncDispose]();
    await page.getByRole("alert").getByText("Not connected").waitFor();
    await named(page, "first").waitFor(); // what is known stays to be seen

    await using second = await startEgret({ objects: egressIp("second"), server: { listen: host } });
    expect(second.url).toBe(first.url);
    // triggers the reconnect at once, without waiting for the retry delay
    await page.evaluate('dispatchEvent(new Event("online"))');
    for (const tab of [page, other]) {
      await named(tab, "second").waitFor();
      await named(tab, "first").waitFor({ state: "detached" });
      await untilLive(tab);
    }
    expect(complaints.filter((text) => !text.includes("WebSocket connection"))).toEqual([]);
  });
});
