// Accessibility of every view, as far as a program can check it: axe's rules for WCAG 2.2 AA, in both color schemes.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type EgretServer, startEgret } from "egret-apiserver/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined)
  process.stderr.write(`${problem}: test/e2e/page/accessibility.test.ts is skipped\n`);

const OBJECTS = `
apiVersion: v1
kind: Node
metadata:
  name: n1
  labels: {k8s.ovn.org/egress-assignable: ""}
  annotations: {k8s.ovn.org/host-cidrs: '["192.168.126.11/24"]', k8s.ovn.org/node-primary-ifaddr: '{"ipv4":"192.168.126.11/24"}'}
status: {conditions: [{type: Ready, status: "True"}]}
---
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
kind: EgressIP
metadata: {name: web}
spec: {egressIPs: [192.168.126.101, 10.9.9.9], namespaceSelector: {matchLabels: {team: shop}}}
`;

interface ListMeta {
  readonly resourceVersion: string;
}

/** Twenty seconds where nothing else runs: all rules for each view. */
const VIEWS_MS_MAX = 180_000;

/** The views, each with a selector that shows that it is loaded. */
const VIEWS: readonly (readonly [path: string, sign: string])[] = [
  ["map", "text=192.168.126.101"],
  ["map?as=table", "table"],
  ["o", "h2"],
  ["o/k8s.ovn.org/v1/egressips", "table"],
  ["o/k8s.ovn.org/v1/egressips/-/web", ".cm-content"],
  ["o/k8s.ovn.org/v1/egressips/-/web?tab=fields", "table"],
  ["o/k8s.ovn.org/v1/egressips/-/web?tab=history", '[type="range"]'],
  ["o/k8s.ovn.org/v1/egressips/-/web?tab=related", "h2"],
  ["o/k8s.ovn.org/v1/egressips/-/web?tab=explain", "table"],
  ["trace?from=pod/shop/web&to=8.8.8.8:443", ".verdict"],
  ["trace?from=ns/shop&to=8.8.8.8:443", ".command"],
  ["whatif?do=delete:node/n1", ".ghost-map .would-be"],
  ["time", ".entry-frame tbody button"],
  ["time?at=REVISION", ".moment-strip.past time"],
  ["map?at=REVISION", ".moment-strip.past time"],
  ["o/core/v1/namespaces/-/kube-system?at=REVISION", "pre"],
  ["lab?at=REVISION", ".empty"],
  ["lab", "textarea"],
  ["traffic", "table"],
];

describe.skipIf(problem !== undefined)("the page", () => {
  let server: EgretServer;
  let browser: TestBrowser;
  let axe = "";
  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    server = await startEgret({ objects: OBJECTS });
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  test.each(["light", "dark"] as const)(
    "breaks no rule of WCAG 2.2 AA in any view (%s)",
    async (colorScheme) => {
      const { page, complaints } = await browser.page(`${server.url}/egret/ui/`, { colorScheme });
      const found: Record<string, unknown> = {};
      const list = (await (await fetch(`${server.url}/api/v1/nodes`)).json()) as { metadata: ListMeta };
      for (const [path, sign] of VIEWS) {
        const there = path.replace("REVISION", list.metadata.resourceVersion);
        await page.goto(`${server.url}/egret/ui/${there}`);
        await page.locator(sign).first().waitFor();
        const broken = await brokenRules(page, axe);
        if (broken.length > 0) found[path] = broken;
      }
      expect(found).toEqual({});
      expect(complaints).toEqual([]);
    },
    VIEWS_MS_MAX,
  );
});

/**
 * Its code is evaluated by the driver: a script in the page is what the page's policy forbids. Of the rules those that axe itself
 * leaves out as experimental: one wants the columns of a row, as they stand beside each other, in the sentence that names the row.
 */
async function brokenRules(page: Page, axe: string): Promise<unknown[]> {
  await page.evaluate(axe);
  const options = {
    runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
    rules: { "label-content-name-mismatch": { enabled: false } },
  } as const;
  const results = await page.evaluate(
    (asked): Promise<AxeResults> =>
      (globalThis as unknown as { axe: typeof import("axe-core") }).axe.run(structuredClone(asked) as object),
    options,
  );
  return results.violations.map(({ id, nodes }) => [
    id,
    ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)),
  ]);
}
