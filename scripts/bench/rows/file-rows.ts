// Applies one file with many objects: with Egret's own command, and with kubectl if it is installed.
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { clear, createLoad, EGRESS_IPS } from "../client/egress-ips.ts";
import { readJson, type ServerAccess } from "../client/server-access.ts";
import { filledIn } from "../load/requests.ts";
import { builtFile, start } from "../own-server.ts";
import type { Bench } from "../plan.ts";
import type { Row } from "../report/row.ts";

const KUBECTL = "kubectl";
const APPLY_MS_MAX = 300_000;

export async function fileRows({ plan, folder, wants }: Bench): Promise<Row[]> {
  const own = await mkdtemp(join(folder, "files-"));
  const kubeconfig = join(own, "kubeconfig");
  const { egret, access } = await start(join(own, "data"), ["--kubeconfig", kubeconfig]);
  await using _running = egret;
  const file = join(own, "objects.yaml");
  await writeFile(file, objectsOf(plan.applied));
  const ours = [process.execPath, builtFile("main.js"), "apply", "-f", file];
  const kubectl = [KUBECTL, "apply", "--server-side", "-f", file];
  const commands = [
    { id: "files/egret", command: ours, name: "egret apply" },
    ...(hasKubectl() ? [{ id: "files/kubectl", command: kubectl, name: "kubectl apply --server-side" }] : []),
  ].filter(({ id }) => wants(id));
  const rows: Row[] = [];
  for (const { id, command, name } of commands) {
    const value = await applyMs(access, command, kubeconfig, plan.applied);
    rows.push({ id, operation: `${plan.applied} EgressIPs of one file by ${name}`, value, unit: "ms" });
  }
  return rows;
}

const hasKubectl = (): boolean =>
  spawnSync(KUBECTL, ["version", "--client"], { stdio: "ignore" }).error === undefined;

async function applyMs(
  access: ServerAccess,
  [program = "", ...args]: readonly string[],
  kubeconfig: string,
  count: number,
): Promise<number> {
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const from = performance.now();
  await promisify(execFile)(program, args, { env, timeout: APPLY_MS_MAX, maxBuffer: 64 * 1024 * 1024 });
  const took = performance.now() - from;
  const { items } = (await readJson(access, EGRESS_IPS)) as { items: unknown[] };
  if (items.length !== count) throw new Error(`${items.length} of ${count} objects were applied`);
  await clear(access);
  return took;
}

/** A stream of YAML documents; JSON is YAML. */
function objectsOf(count: number): string {
  const create = filledIn({ text: createLoad() });
  const bodies = Array.from({ length: count }, (_, number) => create(number).split("\r\n\r\n")[1] ?? "");
  return bodies.map((body) => `---\n${body}\n`).join("");
}
