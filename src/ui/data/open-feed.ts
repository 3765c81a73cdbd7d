// Opens the feed of a tab: a SharedWorker for all tabs, or watches of its own in browsers without SharedWorker.
import { BASE } from "../frame/route.ts";
import type { Feed } from "./feed.ts";
import { portFeed } from "./port-feed.ts";

/** The worker's name contains the user: tabs of different users never share objects. */
export async function openFeed(user: string): Promise<Feed> {
  const url = document.querySelector<HTMLMetaElement>('meta[name="egret-feed"]')?.content ?? "";
  if (typeof SharedWorker === "undefined" || url === "") {
    const { ownFeed } = await import("./own-feed.ts");
    return ownFeed;
  }
  const trusted = trustedUrl(url);
  return portFeed(() => new SharedWorker(trusted, { type: "module", name: `egret ${user}` }).port);
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

/**
 * The Content-Security-Policy allows workers only through this Trusted Types policy. It accepts the one URL that the
 * build wrote.
 */
function trustedUrl(url: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("egret-worker", {
    createScriptURL(asked) {
      if (asked !== url || !asked.startsWith(BASE)) throw new TypeError("not the worker of this page");
      return asked;
    },
  });
  return policy?.createScriptURL(url) ?? url;
}
