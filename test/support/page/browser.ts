// Drives a real Chromium (Debian's `chromium`), with a profile of its own.
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
/**
 * Of what the browser would do by itself, nothing: it may talk to the server under test alone, whose certificate nobody knows. That
 * of a page may be let pass for a page, but not for the shared worker beside it.
 */
const FLAGS = [
  "--ignore-certificate-errors",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Why no page can be opened here; undefined when one can. */
export const browserProblem = (): string | undefined =>
  existsSync(CHROMIUM) ? undefined : `${CHROMIUM} is not there`;

export interface OpenPage {
  readonly page: Page;
  /** What the page, or the policy under which it runs, has complained of. */
  readonly complaints: readonly string[];
}

export class TestBrowser implements AsyncDisposable {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(): Promise<TestBrowser> {
    return new TestBrowser(await chromium.launch({ executablePath: CHROMIUM, args: FLAGS }));
  }

  /** A page of somebody who has never been there: with his own cookies and storage. */
  async page(address: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
    page.on("console", (message) => {
      // A refusal of the server is told there, too; that is what some tests are about.
      const isRefusal = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isRefusal) complaints.push(message.text());
    });
    await page.goto(address);
    return { page, complaints };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}
