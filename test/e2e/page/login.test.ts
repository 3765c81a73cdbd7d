// The web UI of a server with authentication: a session starts with a token, or with a link created with a token.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type EgretProcess, runEgret, startEgret } from "../../support/egret-process.ts";
import { browserProblem, TestBrowser } from "../../support/page/browser.ts";
import { logInAs, SecureServer } from "../../support/page/secure-server.ts";

const problem = browserProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/page/login.test.ts is skipped\n`);

describe.skipIf(problem !== undefined)("the page of a server with --secure", () => {
  let folder = "";
  let server: EgretProcess;
  let browser: TestBrowser;
  let kubeconfig = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "egret-page-"));
    kubeconfig = join(folder, "kubeconfig");
    server = await startEgret(["--secure", "--data-dir", join(folder, "data"), "--kubeconfig", kubeconfig]);
    browser = await TestBrowser.open();
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  const open = (address: string) => browser.page(address, { ignoreHTTPSErrors: true });
  const token = async () => /token: "?([^"\n]+)/.exec(await readFile(kubeconfig, "utf8"))?.[1] ?? "";

  test("asks who looks, refuses a wrong token, takes a good one, and forgets it at the end", async () => {
    const { page, complaints } = await open(`${server.url}/egret/ui/o`);
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").getByText("Not logged in").waitFor();
    await page.getByLabel("Token").fill(await token());
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("● live").waitFor();
    await page.getByRole("heading", { name: "Objects" }).waitFor();
    expect(
      await page.evaluate("document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })"),
    ).toBe("{}");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
    await page.reload();
    await page.getByLabel("Token").waitFor();
    expect(complaints).toEqual([]);
  });

  test("is opened by a link, which is good once", async () => {
    const { stdout } = await runEgret(["ui", "--no-open", "--kubeconfig", kubeconfig]);
    const link = /https:\S+/.exec(stdout)?.[0] ?? "";
    const { page, complaints } = await open(link);
    await page.getByText("● live").waitFor();
    expect(page.url()).not.toContain("code");
    const second = await open(link);
    await second.page.getByRole("alert").getByText("used up").waitFor();
    expect([...complaints, ...second.complaints]).toEqual([]);
  });

  test("goes on after the server was restarted, and refuses guesses after five", async () => {
    await using restarted = await SecureServer.start({ alice: {} });
    const { page } = await open(`${restarted.url}/egret/ui/o`);
    await logInAs(page, "alice");
    await restarted.restart();
    await page.reload();
    await page.getByText("alice").waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").waitFor();
    await restarted.restart();
    await page.reload();
    for (let tries = 0; tries < 5; tries++) {
      await page.getByLabel("Token").fill(`guess ${tries}`);
      const answered = page.waitForResponse(/ui\/login/);
      await page.getByRole("button", { name: "Log in" }).click();
      expect((await answered).status()).toBe(401);
    }
    await page.getByLabel("Token").fill("one guess more");
    const refused = page.waitForResponse(/ui\/login/);
    await page.getByRole("button", { name: "Log in" }).click();
    expect((await refused).status()).toBe(429);
    expect(Number((await refused).headers()["retry-after"])).toBeGreaterThan(0);
    await page.getByRole("alert").getByText("failed too often").waitFor();
    await logInAs(page, "alice"); // a valid token is always accepted
    await page.getByText("alice").waitFor();
  });
});
