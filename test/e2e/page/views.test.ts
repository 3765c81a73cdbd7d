// The views of the web UI in a real browser with a real server: an edit that is rejected and then accepted, a trace, a
// plan, failing nodes, and the requests of clients.
import { type EgretServer, startEgret } from "egret-apiserver/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";
import { WebhookServer } from "../../unit/apiserver/apiextensions/webhook-server.ts";

const EGRESS_IP = "k8s.ovn.org/v1/EgressIP";
const DEFAULT = { namespace: "default" };

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/views.test.ts is skipped\n`);

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
const OBJECTS = `${node("n1", "192.168.126.11")}${node("n2", "192.168.126.12")}
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: shop}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec: {nodeName: n1, containers: [{name: a, image: a}]}
---
apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: shop}
spec:
  egress:
  - {type: Deny, to: {cidrSelector: 203.0.113.0/24}}
  - {type: Allow, to: {cidrSelector: 0.0.0.0/0}}
---
apiVersion: k8s.ovn.org/v1
kind: EgressIP
metadata: {name: web}
spec: {egressIPs: [192.168.126.101], namespaceSelector: {matchLabels: {team: shop}}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: hostile
  annotations: {note: "<img src=x onerror=alert(1)>"}
data: {"a": "</textarea><script>alert(1)</script>"}
`;

describe.skipIf(problem !== undefined)("the page", () => {
  let server: EgretServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startEgret({ objects: OBJECTS });
    await fetch(`${server.url}/api/v1/namespaces/shop/pods/web/status`, {
      method: "PATCH",
      headers: { "Content-Type": "application/merge-patch+json" },
      body: JSON.stringify({
        status: { phase: "Running", podIP: "10.128.0.5", podIPs: [{ ip: "10.128.0.5" }] },
      }),
    });
    browser = await TestBrowser.open();
    await server.waitFor({ kind: EGRESS_IP, name: "web" }, "size(object.status.items) == 1");
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  const open = (path: string) => browser.page(`${server.url}/egret/ui/${path}`);

  test("shows an edit that the server refuses at its line, and makes one that it takes", async () => {
    const { page, complaints } = await open("o/k8s.ovn.org/v1/egressips/-/web");
    const line = page.locator(".cm-line", { hasText: "192.168.126.101" }).first();
    await line.click();
    await page.keyboard.press("End");
    await page.keyboard.insertText("\n  odd: 1");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").getByText('unknown field "spec.odd"').waitFor();
    await page.locator(".finding").waitFor();
    await page.getByRole("button", { name: /^Line \d+: unknown field/ }).click();
    await page.keyboard.press("Control+Z");
    await line.click();
    await page.keyboard.press("End");
    await page.keyboard.insertText("\n  - 192.168.126.102");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("region", { name: "What would change" }).getByText("192.168.126.102").waitFor();
    const before = await server.client.get(EGRESS_IP, "web");
    expect(before.spec.egressIPs).toEqual(["192.168.126.101"]);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("✓ Applied.").waitFor();
    const after = await server.client.get(EGRESS_IP, "web");
    expect(after.spec.egressIPs).toEqual(["192.168.126.101", "192.168.126.102"]);
    expect(complaints).toEqual([]);
  });

  test("tells somebody who has written meanwhile, and overwrites him only when told to", async () => {
    const { page, complaints } = await open("o/core/v1/configmaps/default/hostile");
    await page.locator(".cm-line", { hasText: "</textarea>" }).click();
    await page.keyboard.press("End");
    await page.keyboard.insertText("\n  mine: x");
    await server.client.patch("v1/ConfigMap", "hostile", { data: { theirs: "other" } }, DEFAULT);
    await page.getByRole("button", { name: "Check and diff" }).click();
    const conflict = page.getByRole("alert");
    await conflict.getByText("theirs: other").waitFor();
    await conflict.getByRole("button", { name: "Keep my text" }).click();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Check and diff" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("✓ Applied.").waitFor();
    const after = await server.client.get("v1/ConfigMap", "hostile", DEFAULT);
    expect(after.data).toEqual({ a: "</textarea><script>alert(1)</script>", mine: "x" });
    expect(complaints).toEqual([]);
  });

  test("tells who owns which field, what an object was, and why it is as it is", async () => {
    const { page, complaints } = await open("o/k8s.ovn.org/v1/egressips/-/web");
    await page.getByRole("tab", { name: "Fields and owners" }).click();
    await page.getByRole("row", { name: /spec\.namespaceSelector/ }).waitFor();
    await page.getByRole("tab", { name: "Fields and owners" }).press("ArrowRight");
    await page.getByRole("slider").press("Home");
    await page.getByText("Created").waitFor();
    await page.getByRole("tab", { name: "Explain" }).click();
    await page.getByRole("columnheader", { name: "ANSWER" }).first().waitFor();
    await page.goBack();
    await page.goBack();
    expect(page.url()).toContain("/o/k8s.ovn.org/v1/egressips/-/web");
    expect(complaints).toEqual([]);
  });

  test("traces a packet, names the rule that denies it, and gives the command that does the same", async () => {
    const { page, complaints } = await open("trace");
    await page.getByLabel("From").fill("shop/web");
    await page.getByLabel("to", { exact: true }).fill("203.0.113.7:443");
    await page.getByRole("button", { name: "Trace" }).click();
    await page.getByRole("status").filter({ hasText: "denied" }).waitFor();
    await page.getByRole("heading", { name: "EgressFirewall shop/default, rule 0" }).waitFor();
    await page.locator("mark", { hasText: "203.0.113.0/24" }).waitFor();
    await page.getByText("egret trace pod/shop/web --to 203.0.113.7:443").waitFor();
    await page.getByLabel("to", { exact: true }).fill("8.8.8.8:443");
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "The way" }).getByText("192.168.126.101").waitFor();
    expect(complaints).toEqual([]);
  });

  test("plans the loss of a node without touching anything, and makes it real when told to", async () => {
    const { status } = await server.client.get(EGRESS_IP, "web");
    const holder = status?.items?.[0]?.node ?? "";
    const { page, complaints } = await open(`whatif?do=unlabel:node/${holder}:k8s.ovn.org/egress-assignable`);
    await page
      .getByRole("region", { name: "Egress addresses" })
      .getByRole("cell", { name: holder })
      .waitFor();
    expect(await page.getByText("egret plan --label").textContent()).toContain(holder);
    const untouched = await server.client.get("v1/Node", holder);
    expect(untouched.metadata.labels).toHaveProperty("k8s.ovn.org/egress-assignable");
    await page.getByRole("button", { name: "Make it real" }).click();
    await server.waitFor(
      { kind: EGRESS_IP, name: "web" },
      `object.status.items.all(item, item.node != '${holder}')`,
    );
    await page.getByRole("button", { name: "Which node hurts most?" }).click();
    await page.getByRole("button", { name: "n1" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("arms faults and shows them strike, saves a state and goes back to it", async () => {
    const { page, complaints } = await open("lab");
    await page
      .getByLabel("Fault as YAML")
      .fill("id: broken\nmatch: {resource: secrets}\nerror: {code: 500}\n");
    await page.getByRole("button", { name: "Arm" }).click();
    await page.getByText("Fault armed: done.").waitFor();
    expect((await fetch(`${server.url}/api/v1/secrets`)).status).toBe(500);
    await page.getByText("struck 1").waitFor();
    await page.getByRole("button", { name: "Take broken away" }).click();
    await page.getByLabel("Name of the snapshot").fill("before");
    await page.getByRole("button", { name: "Save the present state" }).click();
    await page.getByRole("button", { name: "Restore" }).waitFor();
    await server.client.delete("v1/ConfigMap", "hostile", DEFAULT);
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restore before: done.").waitFor();
    expect((await server.client.get("v1/ConfigMap", "hostile", DEFAULT)).metadata.name).toBe("hostile");
    expect(complaints).toEqual([]);
  });

  test("shows who asks what, and what looks wrong about it", async () => {
    const { page, complaints } = await open("traffic");
    const headers = { "User-Agent": "hasty-controller/1.0" };
    for (let round = 0; round < 4; round++) await fetch(`${server.url}/api/v1/pods`, { headers });
    const row = page.getByRole("row", { name: /hasty-controller list pods/ });
    await row.getByText("relists").waitFor();
    await row.getByRole("link").click();
    await page.getByText("Only those of").waitFor();
    expect(complaints).toEqual([]);
  });

  test("shows what admission webhooks decided, and what their patches changed", async () => {
    await using webhook = await WebhookServer.open();
    const patch = Buffer.from('[{"op":"replace","path":"/data/a","value":"2"}]').toString("base64");
    webhook.answer = ({ request: { uid } }) => ({
      body: {
        ...{ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" },
        response: { uid, allowed: true, patchType: "JSONPatch", patch },
      },
    });
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
    const hook = {
      ...{ name: "m.example.com", rules: [rule], sideEffects: "None", admissionReviewVersions: ["v1"] },
      clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
    };
    const kinds = { apiVersion: "admissionregistration.k8s.io/v1", kind: "MutatingWebhookConfiguration" };
    await server.client.create({ ...kinds, metadata: { name: "m" }, webhooks: [hook] });
    const { page, complaints } = await open("traffic");
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen", ...DEFAULT } };
    await server.client.create({ ...map, data: { a: "1" } });
    const row = page.getByRole("row", { name: /m\.example\.com mutating CREATE configmaps default\/seen/ });
    await row.getByText("allowed").waitFor();
    await row.getByText('- data.a: "1"').waitFor();
    await row.getByText('+ data.a: "2"').waitFor();
    await server.client.delete(`${kinds.apiVersion}/${kinds.kind}`, "m");
    expect(complaints).toEqual([]);
  });
});
