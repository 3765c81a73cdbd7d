// Drives a real Chromium (Debian's `chromium`), with a profile of its own.
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
/**
 * Disables what the browser does by itself: it may contact only the server under test, whose certificate no CA signs.
 * Playwright can ignore the certificate error for a page, but not for the shared worker beside it.
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

/** The reason why no browser is available here; undefined when one is. */
export const browserProblem = (): string | undefined =>
  existsSync(CHROMIUM) ? undefined : `${CHROMIUM} is not there`;

export interface OpenPage {
  readonly page: Page;
  /** Errors of the page, and violations of its Content Security Policy. */
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

  /** Opens a page in a fresh context, with its own cookies and storage. */
  async page(address: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.stack ?? error.message));
    page.on("console", (message) => {
      // The console also reports requests that the server rejected; some tests expect these.
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
