// An object that is shown while other clients change it: unedited fields follow the changes, edited ones are kept, and
// related objects are one click away.
import { type EgretServer, startEgret } from "egret-apiserver/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/object.test.ts is skipped\n`);

const SHOP = { namespace: "shop" };
const CONFIG_MAP = "v1/ConfigMap";

const OBJECTS = `
apiVersion: v1
kind: Node
metadata:
  name: n1
  labels: {k8s.ovn.org/egress-assignable: ""}
  annotations:
    k8s.ovn.org/host-cidrs: '["192.168.126.11/24"]'
    k8s.ovn.org/node-primary-ifaddr: '{"ipv4":"192.168.126.11/24"}'
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: shop}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, labels: {app: web}}
spec: {nodeName: n1, containers: [{name: a, image: a}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: web-abc
  namespace: shop
  labels: {kubernetes.io/service-name: web}
addressType: IPv4
endpoints: [{addresses: [10.1.0.5], nodeName: n1, targetRef: {kind: Pod, name: web-0, namespace: shop}}]
---
apiVersion: k8s.ovn.org/v1
kind: EgressService
metadata: {name: web, namespace: shop}
spec: {sourceIPBy: LoadBalancerIP}
---
apiVersion: k8s.ovn.org/v1
kind: EgressIP
metadata: {name: web}
spec: {egressIPs: [192.168.126.101], namespaceSelector: {matchLabels: {team: shop}}}
`;

describe.skipIf(problem !== undefined)("an object of the page", () => {
  let server: EgretServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startEgret({ objects: OBJECTS });
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  const open = (path: string) => browser.page(`${server.url}/egret/ui/${path}`);
  const put = (name: string, data: Record<string, string>) =>
    server.client.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...SHOP }, data });

  test("follows what changes elsewhere, says so, and tells when it has gone", async () => {
    await put("followed", { colour: "green" });
    const { page, complaints } = await open("o/core/v1/configmaps/shop/followed");
    await page.getByText("colour: green").waitFor();
    await page.getByRole("heading", { name: /● live/ }).waitFor();
    await server.client.patch(CONFIG_MAP, "followed", { data: { colour: "blue" } }, SHOP);
    await page.locator(".cm-content").getByText("colour: blue").waitFor();
    await page.getByText(/Changed elsewhere: revision \d+/).click();
    await page
      .getByRole("region", { name: "What has changed" })
      .getByText("- data:")
      .waitFor({ state: "detached" });
    await page.getByRole("region", { name: "What has changed" }).getByText("colour: green").waitFor();
    await server.client.delete(CONFIG_MAP, "followed", SHOP);
    await page.getByText("It is not there any more").waitFor();
    expect(await page.getByRole("button", { name: "Apply" }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("keeps an edit when the object changes meanwhile, also while another tab is looked at", async () => {
    await put("edited", { colour: "green" });
    const { page, complaints } = await open("o/core/v1/configmaps/shop/edited");
    await page.locator(".cm-line", { hasText: "colour: green" }).click();
    await page.keyboard.press("End");
    await page.keyboard.insertText("\n  mine: x");
    await page.getByRole("tab", { name: "Events" }).click();
    await server.client.patch(CONFIG_MAP, "edited", { data: { colour: "red" } }, SHOP);
    await page.getByRole("tab", { name: "YAML" }).click();
    const told = page.getByRole("alert");
    await told.getByText("Changed meanwhile.").waitFor();
    await told.getByText("colour: red").waitFor();
    expect(await page.locator(".cm-content").textContent()).toContain("mine: x");
    await told.getByRole("button", { name: "Keep my text" }).click();
    await page.getByRole("button", { name: "Check and diff" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("✓ Applied.").waitFor();
    const { data } = await server.client.get(CONFIG_MAP, "edited", SHOP);
    expect(data).toEqual({ colour: "green", mine: "x" });
    expect(complaints).toEqual([]);
  });

  test("tells who has written which field at which revision, now and then", async () => {
    await put("blamed", { colour: "green", size: "small" });
    await server.client.patch(CONFIG_MAP, "blamed", { data: { colour: "blue" } }, SHOP);
    const { page, complaints } = await open("o/core/v1/configmaps/shop/blamed?tab=fields");
    const colour = page.getByRole("row", { name: /data\.colour/ });
    const size = page.getByRole("row", { name: /data\.size/ });
    await colour.getByText("blue").waitFor();
    const [later = "", earlier = ""] = await Promise.all([
      colour.getByRole("link").textContent(),
      size.getByRole("link").textContent(),
    ]);
    expect(Number(later)).toBeGreaterThan(Number(earlier));
    await page.getByRole("slider").press("Home");
    await colour.getByText("green").waitFor();
    expect(await colour.getByRole("link").textContent()).toBe(earlier);
    expect(page.url()).toContain(`rev=${earlier}`);
    await server.client.patch(CONFIG_MAP, "blamed", { data: { size: "large" } }, SHOP);
    await page.getByText("Revision 1 of 3").waitFor(); // it goes on without losing its place
    await page.getByRole("slider").press("End");
    await size.getByText("large").waitFor();
    expect(complaints).toEqual([]);
  });

  test("leads to what belongs to it", async () => {
    const { page, complaints } = await open("o/k8s.ovn.org/v1/egressips/-/web?tab=related");
    const region = (name: string) => page.getByRole("region", { name, exact: true });
    await region("Addresses on nodes").getByRole("link", { name: "n1" }).waitFor();
    await region("Meant for namespaces").getByRole("link", { name: "shop" }).click();
    await page.getByRole("tab", { name: "Related" }).click();
    await region("EgressIPs for it").getByRole("link", { name: "web" }).waitFor();
    await region("EgressServices in it").getByRole("link", { name: "shop/web" }).click();
    await page.getByRole("tab", { name: "Related" }).click();
    await region("Service").getByRole("link", { name: "shop/web" }).click();
    await page.getByRole("tab", { name: "Related" }).click();
    await region("EgressService").getByRole("link", { name: "shop/web" }).waitFor();
    await region("EndpointSlices").getByRole("link", { name: "shop/web-abc" }).click();
    await page.getByRole("tab", { name: "Related" }).click();
    await region("Service").getByRole("link", { name: "shop/web" }).waitFor();
    await region("Pods").getByRole("link", { name: "shop/web-0" }).click();
    await page.getByRole("tab", { name: "Related" }).click();
    await region("Runs on").getByRole("link", { name: "n1" }).waitFor();
    await region("Services that choose it").getByRole("link", { name: "shop/web" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("finds what it owns", async () => {
    const owner = await put("owner", {});
    const { uid = "" } = owner.metadata;
    await server.client.create({
      ...{ apiVersion: "v1", kind: "ConfigMap" },
      metadata: {
        ...{ name: "owned", ...SHOP },
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }],
      },
    });
    const { page, complaints } = await open("o/core/v1/configmaps/shop/owner?tab=related");
    await page.getByRole("button", { name: "Look for what it owns in every kind" }).click();
    await page.getByRole("region", { name: "Owns" }).getByRole("link", { name: "shop/owned" }).click();
    await page.getByRole("tab", { name: "Related" }).click();
    await page.getByRole("region", { name: "Owned by" }).getByRole("link", { name: "shop/owner" }).waitFor();
    expect(complaints).toEqual([]);
  });
});
