// The Content Security Policy of the web UI: the browser blocks what an injection would have to do and reports it. The
// other tests accept no console messages, so they fail if the policy breaks a view.
import { startEgret } from "egret-apiserver/testing";
import { expect, test } from "vitest";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/policy.test.ts is skipped\n`);

/** Ways from a text to markup or code, each tried in the page. */
const HOLES: readonly string[] = [
  'document.body.innerHTML = "<b>bold</b>"',
  'document.createElement("script").text = "alert(1)"',
  'document.createElement("script").src = "/egret/ui/assets/other.js"',
  'new Worker("/egret/ui/assets/other.js")',
  'trustedTypes.createPolicy("another", { createHTML: (text) => text })',
  'trustedTypes.createPolicy("egret-worker", { createHTML: (text) => text })',
];

test.skipIf(problem !== undefined)("no text becomes markup or code in the page", async () => {
  await using server = await startEgret();
  await using browser = await TestBrowser.open();
  const { page, complaints } = await browser.page(`${server.url}/egret/ui/map`);
  await page.getByText("● live").waitFor();
  expect(complaints).toEqual([]);
  for (const hole of HOLES) {
    const outcome = await page.evaluate(
      `(() => { try { ${hole}; return "done"; } catch (error) { return error.name; } })()`,
    );
    expect(outcome, hole).toBe("TypeError");
  }
  await expect.poll(() => complaints.length).toBeGreaterThanOrEqual(HOLES.length);
});
