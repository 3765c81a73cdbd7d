// `egret ui`: opens the web UI of a running server as the user of the kubeconfig. A browser is opened only for
// addresses of this machine. The URL is composed of validated parts: no program receives unvalidated text of a server.

import { spawn } from "node:child_process";
import process from "node:process";
import { isLoopbackAddress } from "../apiserver/http/kubeconfig/discovered.ts";
import { PAGE_PATH } from "../features/ui-sessions/login.ts";
import { StartError, UsageError } from "../server/errors.ts";
import type { Environment } from "../server/options/read-command-line.ts";
import type { Asked } from "./ask-server.ts";
import { print, printError } from "./output.ts";

/** Throws UsageError and StartError. */
export async function ui(asked: Asked, env: Environment): Promise<void> {
  if (asked.words.length > 0) throw new UsageError(`egret ui takes flags alone, and no ${asked.words[0]}`);
  const { status } = await asked.askAnyway(PAGE_PATH, "");
  if (status !== 200) throw new StartError("this server has no page");
  const link = await asked.json<{ url?: unknown }>({ method: "POST", path: "/ui/link" });
  const url = pageUrl(link.url);
  if (url === undefined) throw new StartError("the server has answered with something else than its page");
  print(`${url.href}\n`);
  const opener =
    asked.isSet("no-open") || !process.stdout.isTTY ? undefined : openerFor(process.platform, env);
  if (opener === undefined) return;
  if (url.isLocal) open(opener, url.href);
  else printError("egret: no browser is opened: the address is not of this machine's loopback\n");
}

/** The one-time code of a link. */
const CODE = /^(?:#code=[\w-]{1,200})?$/;
const ANY_ADDRESS = new Set(["0.0.0.0", "::"]);

/** undefined: not a URL of Egret's web UI. */
export function pageUrl(text: unknown): { readonly href: string; readonly isLocal: boolean } | undefined {
  if (typeof text !== "string" || !URL.canParse(text)) return undefined;
  const { protocol, host, hostname, username, password, pathname, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol) || username !== "" || password !== "") return undefined;
  if (pathname !== PAGE_PATH || search !== "" || !CODE.test(hash)) return undefined;
  if (!/^[\w.:[\]-]+$/.test(host)) return undefined;
  const bare = hostname.replace(/^\[|\]$/g, "");
  const isLocal = isLoopbackAddress(bare) || ANY_ADDRESS.has(bare);
  return { href: `${protocol}//${host}${pathname}${hash}`, isLocal };
}

type Opener = readonly [command: string, ...args: string[]];

/** The program that opens a URL in a browser; undefined without a graphical session. */
export function openerFor(platform: NodeJS.Platform, env: Environment): Opener | undefined {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
}

/** Errors are ignored: the URL has been printed. */
function open([command, ...args]: Opener, url: string): void {
  const browser = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  browser.on("error", () => {});
  browser.unref();
}
