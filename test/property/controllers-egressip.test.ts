// Whatever happens to nodes and EgressIPs, in whatever order and with whatever interruptions: once all is quiet, the
// rules hold.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Cidr, cidrContains, type IpAddress, parseCidr, parseIp } from "../../src/meta/ip.ts";
import type { KubeObject } from "../../src/meta/object-meta.ts";
import { Cluster, EGRESS_IPS, LABEL, MARK, NODES } from "../unit/controllers/support.ts";
import { BROKEN, merge, steps } from "./controllers-egressip-steps.ts";

interface Seen {
  readonly name: string;
  readonly wanted: readonly IpAddress[];
  readonly items: readonly { egressIP: string; node: string }[];
  readonly mark: string | undefined;
}

/** The EgressIPs whose spec can be read; the others are left as they were. */
async function readEgressIps(cluster: Cluster): Promise<Seen[]> {
  const { items: objects } = await cluster.client.list(EGRESS_IPS);
  return objects.flatMap((object): Seen[] => {
    const { spec, status, metadata } = object as KubeObject & {
      spec: { egressIPs: string[] };
      status?: { items: Seen["items"] };
    };
    const wanted = new Map(spec.egressIPs.map((text) => [parseIp(text)?.text, parseIp(text)]));
    if (wanted.has(undefined)) return [];
    const addressesWanted = [...wanted.values()].filter((ip) => ip !== undefined);
    const mark = metadata.annotations?.[MARK];
    return [{ name: metadata.name ?? "", wanted: addressesWanted, items: status?.items ?? [], mark }];
  });
}

interface SeenNode {
  readonly name: string;
  readonly usable: boolean;
  readonly primary: readonly Cidr[];
  readonly hosts: readonly Cidr[] | undefined;
  readonly secondary: readonly Cidr[];
}

async function readNodes(cluster: Cluster): Promise<SeenNode[]> {
  const { items: objects } = await cluster.client.list(NODES);
  return objects.map(({ metadata, status }) => {
    const { labels = {}, annotations = {} } = metadata;
    const { ipv4 } = JSON.parse(annotations["k8s.ovn.org/node-primary-ifaddr"] ?? "{}") as { ipv4: string };
    const text = annotations["k8s.ovn.org/host-cidrs"] ?? "";
    const written = text === BROKEN ? undefined : (JSON.parse(text) as string[]);
    const ready = JSON.stringify(status).includes('"True"');
    return {
      name: metadata.name ?? "",
      usable: LABEL in labels && ready,
      primary: [ipv4].flatMap((cidr) => parseCidr(cidr) ?? []),
      hosts: written?.flatMap((cidr) => parseCidr(cidr) ?? []),
      secondary: (written ?? []).filter((cidr) => cidr !== ipv4).flatMap((cidr) => parseCidr(cidr) ?? []),
    };
  });
}

/** Holds at every moment of rest. */
async function checkAllocations(cluster: Cluster): Promise<void> {
  const egressIps = await readEgressIps(cluster);
  const byAddress = new Map<string, string>();
  for (const { name, items: given } of egressIps) {
    for (const { egressIP } of given) {
      expect(byAddress.get(egressIP) ?? name).toBe(name);
      byAddress.set(egressIP, name);
    }
    const distinct = new Set(given.map(({ egressIP }) => egressIP)).size;
    expect(new Set(given.map((item) => item.node)).size).toBe(distinct);
  }
  const readable = new Set(egressIps.map(({ name }) => name));
  const allocated = cluster
    .describe()
    .flatMap(({ node: holder, allocations }) =>
      Object.entries(allocations).map(([address, name]) => ({ name, text: `${address}@${holder}` })),
    );
  for (const { name, wanted, items: given } of egressIps) {
    const held = allocated.filter((entry) => entry.name === name).map(({ text }) => text);
    const written = given.map((item) => `${item.egressIP}@${item.node}`);
    expect(held).toEqual(expect.arrayContaining(written));
    // An address may be remembered that could not be written again, since some node's addresses are unreadable.
    for (const text of held) expect(wanted.map((ip) => ip.text)).toContain(text.split("@")[0]);
  }
  for (const { name } of allocated) if (!readable.has(name)) await cluster.egressIp(name);
  const marks = egressIps.filter(({ items: given }) => given.length > 0).map(({ mark }) => mark);
  expect(marks).not.toContain(undefined);
  expect(new Set(marks).size).toBe(marks.length);
}

/** Holds once every EgressIP was looked at again: nothing stands wrong, and nothing waits that could be placed. */
async function checkPlacement(cluster: Cluster): Promise<void> {
  const nodes = await readNodes(cluster);
  const egressIps = await readEgressIps(cluster);
  const known = new Map(nodes.map((seen) => [seen.name, seen]));
  const inside = (cidrs: readonly Cidr[], ip: IpAddress): boolean =>
    cidrs.some((cidr) => cidrContains(cidr, ip));
  const readable = nodes.every((seen) => seen.hosts !== undefined && seen.primary.length > 0);
  for (const { name, wanted, items: given } of egressIps) {
    for (const item of given) {
      const ip = wanted.find(({ text }) => text === item.egressIP);
      const holder = known.get(item.node);
      expect(ip && holder?.usable).toBe(true);
      // A node whose annotations cannot be read now lives by the last readable ones.
      if (ip && holder && readable) expect(inside([...holder.primary, ...holder.secondary], ip)).toBe(true);
    }
    if (!readable) continue;
    const held = cluster.describe().flatMap(({ allocations }) => Object.values(allocations));
    expect(held.filter((holder) => holder === name)).toHaveLength(
      new Set(given.map((item) => item.node)).size,
    );
    const used = new Set(given.map((item) => item.node));
    for (const ip of wanted) {
      const holders = egressIps
        .flatMap((other) => other.items)
        .filter(({ egressIP }) => egressIP === ip.text);
      const isHost = nodes.some((seen) => seen.hosts?.some(({ address }) => address.text === ip.text));
      if (holders.length > 0 || isHost) continue;
      const usable = nodes.filter((seen) => seen.usable);
      const secondary = usable.filter((seen) => inside(seen.secondary, ip) && !inside(seen.primary, ip));
      const candidates = secondary.length > 0 ? secondary : usable.filter((seen) => inside(seen.primary, ip));
      const allocatedElsewhere = cluster.describe().some(({ allocations }) => ip.text in allocations);
      if (!allocatedElsewhere) expect(candidates.filter(({ name }) => !used.has(name))).toEqual([]);
    }
  }
}

/** A restart changes nothing, unless the controller lived by texts that cannot be read any more. */
async function checkRestart(cluster: Cluster): Promise<void> {
  const nodes = await readNodes(cluster);
  const statuses = await readEgressIps(cluster);
  const { items: objects } = await cluster.client.list(EGRESS_IPS);
  cluster.takeWrites();
  await cluster.restart();
  await checkAllocations(cluster);
  if (nodes.some((seen) => seen.hosts === undefined || seen.primary.length === 0)) return;
  if (statuses.length < objects.length) return;
  expect(cluster.takeWrites()).toEqual([]);
  expect(await readEgressIps(cluster)).toEqual(statuses);
}

async function touchAll(cluster: Cluster, word: string): Promise<void> {
  const { items: objects } = await cluster.client.list(EGRESS_IPS);
  for (const { metadata } of objects) {
    const body = { metadata: { labels: { touched: word } } };
    await merge(EGRESS_IPS, metadata.name ?? "", body).take(cluster);
    await cluster.idle();
  }
}

describe("the EgressIP controller", () => {
  test("keeps its rules through any sequence of changes, interruptions and restarts", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const cluster = await Cluster.start();
        try {
          for (const step of taken) await step.take(cluster);
          await cluster.idle();
          await checkAllocations(cluster);
          await touchAll(cluster, "once");
          await touchAll(cluster, "twice");
          await checkAllocations(cluster);
          await checkPlacement(cluster);
          await checkRestart(cluster);
        } finally {
          await cluster.stop();
        }
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 150) },
    );
  });
});
