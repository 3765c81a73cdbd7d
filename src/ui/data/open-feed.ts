// Where this tab has its feed from: a worker that all tabs share, or watches of its own in a browser that has none such.
import { BASE } from "../frame/route.ts";
import type { Feed } from "./feed.ts";
import { portFeed } from "./port-feed.ts";

/** Tabs of one user share a worker; another one's objects are not for him. */
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

/** The page's policy lets nothing become a worker but what this policy has passed: our own address, which the build wrote. */
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
