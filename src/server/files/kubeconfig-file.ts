// The kubeconfig of this server as a file. It never takes the place of that of a server that lives, nor of one that Egret
// has not written, and it goes with the server, so that no file names a dead port.
import { readFile, rm } from "node:fs/promises";
import { systemClock } from "../../meta/clock.ts";
import {
  KubeconfigError,
  type KubeconfigFacts,
  kubeconfigText,
  writeKubeconfig,
} from "./write-kubeconfig.ts";

/** So long the server of another file may take to say that it lives. */
const ANSWER_MS_MAX = 1000;
const SERVER = /^ +server: "?(\S+?)"?$/gm;
const IS_OWN = /^current-context: egret$/m;

export interface KubeconfigFile {
  readonly path: string;
  /** Where the file that was asked for is another server's: that file, and the address of that server. */
  readonly insteadOf?: { readonly path: string; readonly url: string };
  /** Takes the file away, unless it is no longer what was written. Never rejects. */
  remove(): Promise<void>;
}

/** Throws KubeconfigError. */
export async function openKubeconfigFile(path: string, facts: KubeconfigFacts): Promise<KubeconfigFile> {
  const holder = await holderOf(path, facts.url);
  const own = holder === undefined ? path : `${path}-${new URL(facts.url).port || "default"}`;
  await writeKubeconfig(own, facts);
  const text = kubeconfigText(facts);
  const remove = async () => {
    const now = await readFile(own, "utf8").catch(() => undefined);
    if (now === text) await rm(own, { force: true }).catch(() => undefined);
  };
  return { path: own, remove, ...(holder === undefined ? {} : { insteadOf: { path, url: holder } }) };
}

/** The address of the server that the file belongs to and that lives; undefined when nobody's file is there. */
async function holderOf(path: string, ownUrl: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch(() => ""); // what cannot be read is told when it is written
  const servers = [...text.matchAll(SERVER)].map(([, url = ""]) => url);
  const [url] = servers;
  if (url === undefined) return undefined; // it leads nowhere
  if (!IS_OWN.test(text) || servers.length > 1)
    throw new KubeconfigError(
      `${path} is not a kubeconfig that egret has written: name another file by --kubeconfig`,
    );
  // Nobody else can have our own port: a server that had it before is gone.
  if (new URL(url).host === new URL(ownUrl).host) return undefined;
  return (await answers(path)) ? url : undefined;
}

/** Whether the server of a kubeconfig is there. Who does not refuse, but is slow to answer, is. */
async function answers(path: string): Promise<boolean> {
  const { requestWith } = await import("../../http/kubeconfig-client.ts");
  const waiting = new AbortController();
  const late = systemClock.sleep(ANSWER_MS_MAX, waiting.signal).then(
    () => true,
    () => true,
  );
  const asked = requestWith(path, { method: "GET", path: "/livez", signal: waiting.signal }).then(
    () => true,
    () => false,
  );
  const isThere = await Promise.race([asked, late]);
  waiting.abort();
  return isThere;
}
