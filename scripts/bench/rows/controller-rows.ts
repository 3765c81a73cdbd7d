// The cost of the controllers: creates of EgressIPs that get a node, compared with a server without controllers, and the
// number of writes per assignment.
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { clear, createLoad, EGRESS_IPS, revisionOf } from "../client/egress-ips.ts";
import { fill } from "../client/fill.ts";
import { createNodes } from "../client/nodes.ts";
import { askWell, readJson, type ServerAccess } from "../client/server-access.ts";
import { filledIn } from "../load/requests.ts";
import { compare, type Limits } from "../measure.ts";
import { API_ALONE, start } from "../own-server.ts";
import type { Bench } from "../plan.ts";
import type { Row } from "../report/row.ts";

const CLIENTS = 16;
const NODES = 20;
const WITHOUT = "the same without controllers";
/** A longer warm-up would create more EgressIPs than there are marks. */
const WARM_UP_MS_MAX = 1000;

export async function controllerRows(bench: Bench): Promise<Row[]> {
  const { plan, folder, generator } = bench;
  const { egret, access } = await start(await mkdtemp(join(folder, "controllers-")));
  await using _with = egret;
  const alone = await start(await mkdtemp(join(folder, "controllers-")), API_ALONE);
  await using _without = alone.egret;
  for (const server of [access, alone.access]) await createNodes(server, NODES);
  const writes = await writesEach(access, plan.assigned);
  let first = plan.assigned;
  const creates = async (server: ServerAccess, limits: Limits) => {
    const requests = { text: createLoad(), first };
    const { sample, next } = await generator.load(server, requests, { connections: CLIENTS, limits });
    first = next;
    await settle(server); // the next measurement does not pay for the remaining work of this one
    await clear(server); // or the 5,000 marks would be used up
    await settle(server);
    return sample;
  };
  const warmUp = {
    msMax: Math.min(plan.warmUp.msMax, WARM_UP_MS_MAX),
    countMax: plan.writes.countMax,
  };
  await creates(access, warmUp);
  if (!plan.alone) await creates(alone.access, warmUp);
  const result = await compare(
    plan,
    () => creates(access, plan.writes),
    () => creates(alone.access, plan.writes),
  );
  return [
    {
      id: `controllers/create/${CLIENTS}`,
      operation: `create EgressIP while controllers assign them to ${NODES} nodes`,
      clients: CLIENTS,
      ...result,
      generator: generator.name,
      raw: WITHOUT,
    },
    {
      id: "controllers/writes",
      operation: "writes of an EgressIP from its creation to its node",
      value: writes,
      unit: "writes",
    },
  ];
}

/** Counts revisions of the store: each write has its own. */
async function writesEach(access: ServerAccess, count: number): Promise<number> {
  await settle(access);
  const revision = async () => Number(await revisionOf(access, EGRESS_IPS));
  const before = await revision();
  await fill(access, count, filledIn({ text: createLoad() }));
  await settle(access);
  const each = ((await revision()) - before) / count;
  const { items } = (await readJson(access, EGRESS_IPS)) as { items: { status?: { items: unknown[] } }[] };
  const left = items.filter(({ status }) => status?.items.length !== 1).length;
  if (left > 0) throw new Error(`${left} EgressIPs have no node`);
  await clear(access);
  return each;
}

const settle = (access: ServerAccess): Promise<unknown> =>
  askWell(access, "/egret/v1/clock/settle", { method: "POST", body: {} });
