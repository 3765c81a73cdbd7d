// `egret ui`: the page of a running server, as whoever the kubeconfig says.
import { spawn } from "node:child_process";
import process from "node:process";
import { PAGE_PATH } from "../control/ui/login.ts";
import type { Environment } from "../server/command-line/read-command-line.ts";
import { StartError, UsageError } from "../server/errors.ts";
import type { Asked } from "./ask-server.ts";

/** Throws UsageError and StartError. */
export async function ui(asked: Asked, env: Environment): Promise<void> {
  if (asked.words.length > 0) throw new UsageError(`egret ui takes flags alone, and no ${asked.words[0]}`);
  const { status } = await asked.askAnyway(PAGE_PATH, "");
  if (status !== 200) throw new StartError("this server has no page");
  const { url } = await asked.json<{ url: string }>({ method: "POST", path: "/ui/link" });
  process.stdout.write(`${url}\n`);
  const opener =
    asked.isSet("no-open") || !process.stdout.isTTY ? undefined : openerFor(process.platform, env);
  if (opener !== undefined) open(opener, url);
}

type Opener = readonly [command: string, ...args: string[]];

/** What shows an address in a browser; undefined where nobody would see it. */
export function openerFor(platform: NodeJS.Platform, env: Environment): Opener | undefined {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
}

/** Whether it can be opened or not: the address has been printed. */
function open([command, ...args]: Opener, url: string): void {
  const browser = spawn(command, [...args, url], { stdio: "ignore", detached: true });
  browser.on("error", () => {});
  browser.unref();
}
