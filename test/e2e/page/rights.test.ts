// The web UI offers no action that the user is not authorized for, and does not show lists as empty that the user may not
// read.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";
import { logInAs, logInWith, SecureServer } from "../../support/page/secure-server.ts";

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/rights.test.ts is skipped\n`);

const USERS = {
  reader: {
    rules: [
      { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] },
      { nonResourceURLs: ["/egret/v1/*"], verbs: ["get", "post"] },
    ],
  },
  shopkeeper: { within: { shop: "view" } },
};

const LABELS = { "k8s.ovn.org/egress-assignable": "" };
const ANNOTATIONS = {
  "k8s.ovn.org/host-cidrs": '["192.168.126.11/24"]',
  "k8s.ovn.org/node-primary-ifaddr": '{"ipv4":"192.168.126.11/24"}',
};
const OBJECTS = [
  {
    ...{ apiVersion: "v1", kind: "Node" },
    metadata: { name: "n1", labels: LABELS, annotations: ANNOTATIONS },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  },
  ...["shop", "mail"].map((name) => ({
    ...{ apiVersion: "v1", kind: "Namespace" },
    metadata: { name, labels: { team: name } },
  })),
  ...["shop", "mail"].map((namespace) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap" },
    ...{ metadata: { name: "settings", namespace }, data: { colour: "green" } },
  })),
  {
    ...{ apiVersion: "k8s.ovn.org/v1", kind: "EgressIP", metadata: { name: "web" } },
    spec: { egressIPs: ["192.168.126.101"], namespaceSelector: { matchLabels: { team: "shop" } } },
  },
];

describe.skipIf(problem !== undefined)("the page of a server with --secure", () => {
  let server: SecureServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await SecureServer.start(USERS, OBJECTS);
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Opens a page as the user; also returns the requests that the server has rejected since. */
  async function pageOf(user: string, path: string) {
    const address = `${server.url}/egret/ui/${path}`;
    const { page, complaints } = await browser.page(address, { ignoreHTTPSErrors: true });
    await logInAs(page, user);
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
    });
    const open = async (next: string) => {
      refused.length = 0;
      await page.goto(`${server.url}/egret/ui/${next}`);
    };
    return { page, complaints, refused, open };
  }
  const notAllowed = (page: Page, sentence: string) => page.getByText(`⊘ ${sentence}`).first().waitFor();

  test("offers somebody who may read to read, and nothing else", async () => {
    const { page, complaints, refused, open } = await pageOf("reader", "map");
    await page.getByRole("button", { name: /^192\.168\.126\.101 of EgressIP web, on n1/ }).waitFor();
    await open("o/k8s.ovn.org/v1/egressips/-/web");
    await notAllowed(page, "reader may not update egressips.k8s.ovn.org.");
    const content = page.locator(".cm-content");
    await content.getByText("192.168.126.101").first().click();
    await page.keyboard.insertText("odd");
    expect(await content.textContent()).not.toContain("odd");
    for (const name of ["Check and diff", "Apply", "Delete …"])
      expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    await page.getByRole("tab", { name: "Explain" }).click();
    await page.getByRole("columnheader", { name: "ANSWER" }).first().waitFor();
    expect(refused).toEqual([]);

    await open("lab");
    await notAllowed(page, "reader may not patch nodes.");
    await notAllowed(page, "reader may not do everything, and this is for those alone who may.");
    for (const name of ["Fail", "Arm", "Save the present state", "Freeze", "Back to the start"])
      expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    await page.getByText("Manifests to apply").waitFor(); // each object is taken or refused by itself
    for (const view of ["whatif", "traffic"]) {
      await open(view);
      await notAllowed(page, "reader may not do everything, and this is for those alone who may.");
    }
    expect(refused).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("tells somebody who may read one namespace what he may not see", async () => {
    const { page, open } = await pageOf("shopkeeper", "map");
    for (const [column, resource] of [
      ["Who", "namespaces"],
      ["Leaves by", "egressips.k8s.ovn.org"],
      ["From node", "nodes"],
    ] as const) {
      const region = page.getByRole("region", { name: column });
      await region.getByText(new RegExp(`Not allowed: ${resource} is forbidden`)).waitFor();
      await region.getByRole("heading", { name: /not allowed/ }).waitFor();
    }
    await open("trace");
    await notAllowed(page, "shopkeeper may not post /egret/v1/trace.");
    await open("o");
    await page.getByRole("listitem").filter({ hasText: "EgressIP" }).getByText("not allowed").waitFor();
    await page.getByRole("link", { name: "ConfigMap" }).click();
    await notAllowed(page, "shopkeeper may not list configmaps.");
    await page.getByLabel("Namespace").fill("shop");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("link", { name: "settings" }).click();
    await notAllowed(page, "shopkeeper may not update configmaps in the namespace shop.");
    await page.locator(".cm-content").getByText("green").waitFor();
    await open("o/core/v1/configmaps/mail/settings");
    await page.getByRole("alert").getByText("It cannot be read").waitFor();
  });

  test("offers everything to the administrator", async () => {
    const address = `${server.url}/egret/ui/lab`;
    const { page, complaints } = await browser.page(address, { ignoreHTTPSErrors: true });
    await logInWith(page, await server.adminToken());
    await page.getByRole("button", { name: "Fail" }).waitFor();
    await page.getByRole("button", { name: "Arm" }).waitFor();
    await page.goto(`${server.url}/egret/ui/o/k8s.ovn.org/v1/egressips/-/web`);
    await page.getByRole("button", { name: "Delete …" }).waitFor();
    expect(await page.getByText("⊘").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
