// Placement on a cloud: an address is asked of the cloud first, by a CloudPrivateIPConfig, and comes into the status
// when the cloud has granted it. The allocator holds it from the asking on. Objects are read fresh from the API here,
// since the copies of the informers may lag behind what was just written.
import type { Informer } from "../../../client/informer.ts";
import { parseIp } from "../../../meta/ip.ts";
import type { KubeObject } from "../../../meta/object-meta.ts";
import { StatusError } from "../../../meta/status.ts";
import {
  CLOUD_PRIVATE_IP_CONFIGS,
  type CloudPrivateIpConfig,
  readCloudPrivateIpConfig,
} from "../../cloud/cloud-private-ip-config.ts";
import { type Claim, type EgressIp, readEgressIp, readRequested, type StatusItem } from "../egress-ip.ts";
import { Leavers } from "../placement/leavers.ts";
import { invalidSpec, type Placement, type PlacementContext } from "../placement/placement.ts";
import { type Plan, planEgressIp } from "../placement/plan.ts";
import { EGRESS_IPS, isWritten, writeStatus } from "../status-writer.ts";
import { type Answer, answersTo, applyAnswers, CloudAnswers } from "./cloud-answers.ts";
import { keepRequest, preloadCloud } from "./cloud-preload.ts";
import { CloudRequests } from "./cloud-requests.ts";

export class CloudPlacement implements Placement {
  readonly informers: readonly Informer[];
  readonly #context: PlacementContext;
  readonly #configs: Informer;
  readonly #requests: CloudRequests;
  readonly #answers = new CloudAnswers();
  /** What EgressIPs that exist give up. */
  readonly #leavers = new Leavers();
  /** What EgressIPs that are gone have left. */
  readonly #left = new Leavers();
  /** EgressIP → what was asked for in its name and not given back; its spec may not tell any more. */
  readonly #asked = new Map<string, Set<string>>();
  /** Address → EgressIPs that could not ask for it. Any change of its object lets them try again. */
  readonly #blocked = new Map<string, Set<string>>();

  constructor(context: PlacementContext) {
    this.#context = context;
    this.#configs = context.informer(CLOUD_PRIVATE_IP_CONFIGS);
    this.#requests = new CloudRequests(context);
    this.informers = [this.#configs];
    this.#configs.addHandlers({
      add: (object) => this.#hear(undefined, object),
      update: (before, object) => this.#hear(before, object),
      delete: (object) => this.#hear(object, undefined),
    });
  }

  prepare(egressIps: readonly EgressIp[]): void {
    const { allocator } = this.#context;
    const configs = [...this.#configs.list()].map(readCloudPrivateIpConfig);
    for (const { owner, address } of configs) {
      if (owner !== undefined && address !== undefined && this.#context.index.get(owner)) {
        this.#askedBy(owner).add(address);
      }
    }
    const { lost, orphans } = preloadCloud(allocator, egressIps, configs);
    for (const answer of lost) this.#answers.note(answer);
    for (const { egressIp, address } of orphans) {
      const leavers = this.#context.index.get(egressIp) ? this.#leavers : this.#left;
      leavers.add(egressIp, address, "maybe");
      this.#context.lookAt(egressIp);
    }
  }

  changed(before: EgressIp | undefined, now: EgressIp): void {
    const wanted = before ? readRequested(before) : new Map<string, unknown>();
    const still = readRequested(now);
    if ("invalid" in still) return;
    const known = [...("invalid" in wanted ? [] : wanted.keys()), ...this.#askedBy(now.name)];
    for (const address of known) {
      if (!still.has(address)) this.#leavers.add(now.name, address, "maybe");
    }
  }

  gone(egressIp: EgressIp): void {
    const { name, items } = egressIp;
    const wanted = readRequested(egressIp);
    if (!("invalid" in wanted)) for (const address of wanted.keys()) this.#left.add(name, address, "maybe");
    for (const address of this.#askedBy(name)) this.#left.add(name, address, "maybe");
    this.#asked.delete(name);
    for (const { egressIP } of items) this.#left.add(name, canonical(egressIP), "asked");
    for (const address of this.#context.allocator.heldBy(name).keys()) this.#left.add(name, address, "asked");
    for (const [address, how] of this.#leavers.of(name)) {
      this.#left.add(name, address, how);
      this.#leavers.done(name, address);
    }
    this.#context.lookAt(name);
  }

  async reconcile(name: string): Promise<void> {
    await allDone(this.#giveBack(name, this.#left));
    const { allocator, index, conflictEndsSearch } = this.#context;
    const known = index.get(name);
    if (!known) this.#answers.forgetReleases(name);
    const live = known && (await this.#read(known));
    // Where the object is another by now the events that say so are on their way.
    if (!live || !this.#isThere(live)) return;
    const egressIp = await this.#writeAnswers(live);
    if (!this.#isThere(live)) return; // what it held was freed, and must not be taken again
    const plan = planEgressIp(allocator, egressIp, { sticky: true, conflictEndsSearch });
    this.#context.say(plan.said);
    if ("invalid" in plan) {
      // What left the spec while that could be read is given back all the same: others may wait for it.
      await allDone(this.#giveBack(name, this.#leavers));
      throw invalidSpec(plan.invalid);
    }
    this.#context.explain?.(egressIp, plan);
    for (const { egressIP } of plan.removed) this.#leavers.add(name, canonical(egressIP), "asked");
    for (const address of plan.freed) this.#leavers.add(name, address, "asked");
    if (plan.removed.length > 0) await this.#write(egressIp, plan.kept);
    await allDone([...this.#ask(name, plan), ...this.#giveBack(name, this.#leavers)]);
  }

  /** Takes in a change of a CloudPrivateIPConfig. */
  #hear(before: KubeObject | undefined, now: KubeObject | undefined): void {
    const [old, fresh] = [before, now].map((object) => object && readCloudPrivateIpConfig(object));
    const address = (fresh ?? old)?.address;
    if (address === undefined) return;
    this.#wake(address);
    for (const answer of answersTo(old, fresh)) {
      this.#answers.note(answer);
      this.#context.lookAt(answer.egressIp);
      // What the cloud has taken back may make room for others.
      if (answer.type === "released") this.#lookAtWaiting(answer.egressIp);
    }
  }

  #lookAtWaiting(except: string): void {
    const { index, allocator, lookAt } = this.#context;
    for (const name of [...index.incomplete()]) {
      const egressIp = name === except ? undefined : index.get(name);
      const wanted = egressIp && readRequested(egressIp);
      if (!wanted || "invalid" in wanted) continue;
      const held = allocator.heldBy(name);
      if ([...wanted.keys()].some((address) => !held.has(address))) lookAt(name);
    }
  }

  #isThere({ name, uid }: EgressIp): boolean {
    return this.#context.index.get(name)?.uid === uid;
  }

  async #read({ name, uid }: EgressIp): Promise<EgressIp | undefined> {
    try {
      const live = readEgressIp(await this.#context.client.get(EGRESS_IPS, { namespace: "", name }));
      return live.uid === uid ? live : undefined;
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return undefined;
      throw error;
    }
  }

  async #writeAnswers(egressIp: EgressIp): Promise<EgressIp> {
    const answers = this.#answers.take(egressIp.name);
    if (answers.length === 0) return egressIp;
    this.#keepGranted(egressIp, answers);
    try {
      return await this.#write(egressIp, applyAnswers(egressIp.items, answers));
    } catch (error) {
      this.#answers.putBack(egressIp.name, answers);
      throw error;
    }
  }

  /** What somebody else has asked for in the name of the EgressIP, and was granted, is a placement too. */
  #keepGranted(egressIp: EgressIp, answers: readonly Answer[]): void {
    const wanted = readRequested(egressIp);
    if ("invalid" in wanted) return;
    for (const { type, item } of answers) {
      if (type !== "granted" || !wanted.has(item.egressIP)) continue;
      keepRequest(this.#context.allocator, { egressIp: egressIp.name, address: item.egressIP }, item.node);
    }
  }

  async #write(egressIp: EgressIp, items: readonly StatusItem[]): Promise<EgressIp> {
    const mark = this.#context.newMark(egressIp);
    const change = { items, mark };
    if (!egressIp.hasStatus || !isWritten(egressIp, change)) {
      await writeStatus(this.#context.client, egressIp, change);
    }
    return { ...egressIp, items, hasStatus: true, mark: mark ?? egressIp.mark };
  }

  /** Asks for what was placed; what is given up at the same time, or is held all the same, moves. */
  #ask(egressIp: string, { placed }: Plan): Promise<void>[] {
    const leaving = new Map(this.#leavers.of(egressIp));
    const targets = new Map(placed.map(({ egressIP, node }) => [egressIP, node]));
    for (const [address, node] of this.#context.allocator.heldBy(egressIp)) {
      if (leaving.get(address) === "asked") targets.set(address, node);
    }
    return [...targets].map(async ([address, node]) => {
      const claim = { egressIp, address };
      this.#askedBy(egressIp).add(address);
      const unblock = this.#block(claim);
      if (this.#left.hasOther(address, egressIp) || this.#leavers.hasOther(address, egressIp)) {
        throw new Error(`${address} is still being given back by another EgressIP`);
      }
      if (leaving.get(address) === "asked") await this.#requests.move(claim, node);
      else await this.#requests.request(claim, node);
      this.#leavers.done(egressIp, address);
      unblock();
    });
  }

  /** Gives back what was given up, unless it is held again. */
  #giveBack(egressIp: string, leavers: Leavers): Promise<void>[] {
    const { allocator } = this.#context;
    return leavers.of(egressIp).map(async ([address, how]) => {
      const holder = allocator.holderOf(address)?.egressIp;
      if (holder === egressIp && leavers === this.#leavers) {
        if (how === "maybe") leavers.done(egressIp, address);
        return;
      }
      const isOurs = ({ owner }: CloudPrivateIpConfig): boolean =>
        owner === egressIp || (how === "asked" && (holder === undefined || holder === egressIp));
      await this.#requests.giveBack({ egressIp, address }, isOurs);
      this.#asked.get(egressIp)?.delete(address);
      leavers.done(egressIp, address);
      this.#wake(address);
    });
  }

  #askedBy(egressIp: string): Set<string> {
    const asked = this.#asked.get(egressIp) ?? new Set();
    this.#asked.set(egressIp, asked);
    return asked;
  }

  /** Notes that the EgressIP could not ask for the address, until the answered function is called. */
  #block({ egressIp, address }: Claim): () => void {
    const blocked = this.#blocked.get(address) ?? new Set();
    this.#blocked.set(address, blocked.add(egressIp));
    return () => {
      blocked.delete(egressIp);
      if (blocked.size === 0 && this.#blocked.get(address) === blocked) this.#blocked.delete(address);
    };
  }

  #wake(address: string): void {
    const blocked = this.#blocked.get(address) ?? [];
    this.#blocked.delete(address);
    for (const egressIp of blocked) this.#context.lookAt(egressIp);
  }
}

/** Waits for all of them before it throws what one of them threw. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

const canonical = (address: string): string => parseIp(address)?.text ?? address;
