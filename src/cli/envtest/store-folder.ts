// The storage of an envtest API server: the folder that an envtest `etcd` names, or a real etcd.

import { textAt } from "../../apimachinery/json/json.ts";
import { elapsedMs, pauseAwake } from "../../apimachinery/meta/clock.ts";
import { getPlainly } from "../../apiserver/http/plain-client.ts";
import { errorText, StartError, UsageError } from "../../server/errors.ts";

/** A path that a real etcd does not serve. */
export const STORE_PATH = "/egret/store";

/** How long an etcd may take to listen: suites start both processes at once. */
const WAIT_MS = 20_000;
const RETRY_MS = 25;
const ANSWER_MS = 2_000;

export type EnvtestStore =
  | { readonly type: "folder"; readonly path: string }
  /** In the syntax of `--store`. */
  | { readonly type: "etcd"; readonly store: string };

/** Selects the storage by the URLs of --etcd-servers. Throws UsageError, and StartError where no server responds. */
export async function envtestStore(urls: readonly string[]): Promise<EnvtestStore> {
  const servers = urls.map(readUrl);
  const [first] = servers;
  if (first === undefined) throw new UsageError("--etcd-servers must be specified");
  const folder = first.protocol === "http:" ? await folderOf(servers) : undefined;
  if (folder !== undefined) return { type: "folder", path: folder };
  return { type: "etcd", store: `etcd://${servers.map(({ host }) => host).join(",")}` };
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new UsageError(`--etcd-servers: ${text} is no http or https URL`);
  return url;
}

/** undefined: a real etcd. */
async function folderOf(servers: readonly URL[]): Promise<string | undefined> {
  const untilMs = elapsedMs() + WAIT_MS;
  for (;;) {
    const failures: string[] = [];
    for (const server of servers) {
      try {
        const { code, text } = await getPlainly(new URL(STORE_PATH, server), ANSWER_MS);
        return code === 200 ? textAt(JSON.parse(text), "folder") : undefined;
      } catch (error) {
        failures.push(`${server.href} (${errorText(error)})`);
      }
    }
    if (elapsedMs() > untilMs) throw new StartError(`no etcd answers at ${failures.join(", ")}`);
    await pauseAwake(RETRY_MS);
  }
}
