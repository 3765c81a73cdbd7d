// The policy under which the page runs: what a hole in the page would have to do is refused by the browser, and told, so that the
// other tests, which let nothing be complained of, would see a view that the policy stops.
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
