// The lab in a real browser: nodes are added, fail and are drained, and a cluster is imported from a file.
import { startEgret } from "egret-apiserver/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/lab.test.ts is skipped\n`);

const DUMP = `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"old","uid":"u-1","resourceVersion":"9"}}]}
{"kind":"PodList","apiVersion":"v1","items":[]}
==== START logs for container a of pod shop/web ====
hello
==== END logs for container a of pod shop/web ====
`;
const SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: default}\ndata: {a: aHVzaA==}\n";

describe.skipIf(problem !== undefined)("the lab", () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
  });

  test("adds nodes, has one fail and come back, and empties it", async () => {
    await using server = await startEgret();
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/lab`);
    const form = page.getByRole("form", { name: "Add nodes" });
    await form.getByLabel("Nodes", { exact: true }).fill("2");
    await form.getByLabel("assignable of them").fill("1");
    await form.getByLabel("zones").fill("west");
    await form.getByText("egret nodes add 2 --assignable 1 --zone west").waitFor();
    await form.getByRole("button", { name: "Add" }).click();
    await page.getByRole("link", { name: "worker-2" }).waitFor();
    await page.getByRole("button", { name: "Fail worker-1" }).click();
    await server.waitFor(
      { kind: "v1/Node", name: "worker-1" },
      "'egret.dev/failed' in object.metadata.annotations",
    );
    await page.getByRole("button", { name: "Recover worker-1" }).click();
    await server.waitFor(
      { kind: "v1/Node", name: "worker-1" },
      "!('egret.dev/failed' in object.metadata.annotations)",
    );
    await server.client.create({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: "web", namespace: "default" },
      spec: { nodeName: "worker-2", containers: [{ name: "a", image: "a" }] },
    });
    await page.getByRole("button", { name: "Drain worker-2" }).click();
    await page.getByText("worker-2 is drained: 1 pod evicted.").waitFor();
    expect((await server.client.get("v1/Node", "worker-2")).spec).toMatchObject({ unschedulable: true });
    expect(complaints).toEqual([]);
  });

  test("takes a dump that is dropped, and Secrets only when they are asked for", async () => {
    await using server = await startEgret({ controllers: [] });
    const { page, complaints } = await browser.page(`${server.url}/egret/ui/lab`);
    const file = (name: string, text: string) => ({ name, mimeType: "", buffer: Buffer.from(text) });
    await page.getByText("A cluster as it stood").waitFor();
    // What the system's file manager would do.
    await page.evaluate(`
      const dropped = new DataTransfer();
      dropped.items.add(new File([${JSON.stringify(DUMP)}], "cluster-info.txt"));
      const event = new DragEvent("drop", { dataTransfer: dropped, bubbles: true });
      document.querySelector(".drop").dispatchEvent(event);
    `);
    await page.getByRole("status").getByText("cluster-info.txt: 1 object written").waitFor();
    expect((await server.client.get("v1/Node", "old")).metadata.uid).toBe("u-1");
    const choose = page.getByLabel(/^A cluster as it stood/);
    await choose.setInputFiles(file("one.yaml", SECRET));
    await page.getByText("one.yaml: 0 objects written; 1 left out").waitFor();
    await page.getByLabel("Secrets, too").check();
    await choose.setInputFiles(file("two.yaml", SECRET));
    await page.getByText("two.yaml: 1 object written").waitFor();
    await server.client.get("v1/Secret", "s", { namespace: "default" });
    await choose.setInputFiles(file("dump.xz", "nothing that could be read"));
    await page.getByRole("alert").getByText("dump.xz: refused").waitFor();
    expect(complaints).toEqual([]);
  });
});
