// Assignment on a cloud: an address is requested by a CloudPrivateIPConfig, and written to the status after the cloud has
// granted it (src/ovn/rules.md R101, R102). The allocation starts with the request. Objects are read from the API, since
// informers may lag behind the last write.

import { parseIp } from "../../../apimachinery/meta/ip.ts";
import { append } from "../../../apimachinery/meta/lists.ts";
import { NestedMap } from "../../../apimachinery/meta/nested-map.ts";
import { ignoring } from "../../../controller/api.ts";
import type { Change, Keys } from "../../../controller/definition.ts";
import { isNewest } from "../../../controller/settings.ts";
import { type CloudPrivateIpConfig, readCloudPrivateIpConfig } from "../../assignment/cloud-request.ts";
import {
  type EgressIp,
  keepRequest,
  type RequestedAddress,
  readEgressIp,
  type StatusItem,
  wantedBy,
} from "../../assignment/egress-ip-spec.ts";
import type { Plan } from "../../assignment/plan.ts";
import {
  answersTo,
  applyAnswers,
  CloudAnswers,
  CloudRequests,
  isSameItem,
  Leavers,
  preloadCloud,
} from "./cloud-requests.ts";
import { EGRESS_IPS, writeStatus } from "./egress-ip.ts";
import { EgressIps } from "./egress-ips.ts";

export class CloudEgressIps extends EgressIps {
  readonly #requests = new CloudRequests(this);
  readonly #answers = new CloudAnswers();
  /** Addresses that existing EgressIPs release. */
  readonly #leavers = new Leavers();
  /** Addresses that deleted EgressIPs have not released yet. */
  readonly #left = new Leavers();
  /** Requested addresses by EgressIP, until their requests are deleted; the spec may not list them any more. */
  readonly #asked = new NestedMap<true>();
  /** By address, the EgressIPs whose request failed. Any change of the CloudPrivateIPConfig requeues them. */
  readonly #blocked = new NestedMap<true>();
  /** EgressIPs to plan again. For others, OpenShift 4.13 only writes the cloud's responses. */
  readonly #due = new Set<string>();

  protected override due(keys: Keys): Keys {
    for (const key of keys) if (key !== undefined) this.#due.add(key);
    return keys;
  }

  protected override adoptStatus(egressIps: readonly EgressIp[]): Keys {
    const { allocator, index, kit } = this;
    const configs = [...kit.configs.list()].map(readCloudPrivateIpConfig);
    for (const { owner, address } of configs) {
      if (owner !== undefined && address !== undefined && index.get(owner)) {
        this.#asked.set(owner, address, true);
      }
    }
    const { lost, orphans } = preloadCloud(allocator, egressIps, configs);
    for (const answer of lost) this.#answers.note(answer);
    for (const { egressIp, address } of orphans) {
      const leavers = index.get(egressIp) ? this.#leavers : this.#left;
      leavers.add(egressIp, address, "maybe");
    }
    return orphans.map(({ egressIp }) => egressIp);
  }

  protected override changed(before: EgressIp | undefined, now: EgressIp): void {
    const still = wantedBy(now);
    if (!still) return;
    for (const address of this.#wantedOrAsked(now.name, before)) {
      if (!still.has(address)) this.#leavers.add(now.name, address, "maybe");
    }
  }

  protected override gone(egressIp: EgressIp): void {
    const { name, items } = egressIp;
    for (const address of this.#wantedOrAsked(name, egressIp)) this.#left.add(name, address, "maybe");
    this.#asked.deleteAll(name);
    const given = items.map(({ egressIP }) => canonical(egressIP));
    const held = this.allocator.heldBy(name).keys();
    for (const address of [...given, ...held]) this.#left.add(name, address, "asked");
    for (const [address, how] of this.#leavers.of(name)) {
      this.#left.add(name, address, how);
      this.#leavers.done(name, address);
    }
  }

  override async reconcile(name: string): Promise<void> {
    await allDone(this.#giveBack(name, this.#left));
    const known = this.index.get(name);
    if (!known) {
      this.#answers.forgetReleases(name);
      this.#due.delete(name);
    }
    const live = known && (await this.#read(known));
    // If the object was replaced, watch events for the new one will follow.
    if (!live || !this.#isThere(live)) return;
    const egressIp = await this.#writeAnswers(live);
    if (!this.#isThere(live)) return; // deleted meanwhile: its released addresses must not be allocated again
    if (!this.#due.delete(name) && !isNewest(this.kit.settings)) return;
    try {
      await this.#place(egressIp);
    } catch (error) {
      this.due([name]);
      throw error;
    }
  }

  /** Plans the EgressIP, and sends the resulting requests. */
  async #place(egressIp: EgressIp): Promise<void> {
    const { name } = egressIp;
    const plan = await this.#decideAnyway(egressIp);
    const leaving = [...plan.removed.map(({ egressIP }) => canonical(egressIP)), ...plan.freed];
    for (const address of leaving) this.#leavers.add(name, address, "asked");
    if (plan.removed.length > 0) await this.#write(egressIp, plan.kept);
    await allDone([...this.#ask(name, plan), ...this.#giveBack(name, this.#leavers)]);
  }

  /** Plans the EgressIP. If its spec is invalid, addresses that left it before are released, since others may need them. */
  async #decideAnyway(egressIp: EgressIp): Promise<Plan> {
    try {
      return this.decide(egressIp, { sticky: true });
    } catch (error) {
      await allDone(this.#giveBack(egressIp.name, this.#leavers));
      throw error;
    }
  }

  override onCloudPrivateIpConfig({ type, object, old }: Change): Keys {
    const [before, now] = (type === "delete" ? [object, undefined] : [old, object]).map(
      (state) => state && readCloudPrivateIpConfig(state),
    );
    const address = (now ?? before)?.address;
    if (address === undefined) return [];
    const keys = this.#unblock(address);
    const answers = answersTo(before, now);
    for (const answer of answers) {
      this.#answers.note(answer);
      // A released address frees capacity for other EgressIPs.
      if (answer.type === "released") append(keys, this.#waiting(answer.egressIp));
    }
    return [...this.due(keys), ...answers.map(({ egressIp }) => egressIp)];
  }

  #waiting(except: string): string[] {
    const { index, allocator } = this;
    return [...index.incomplete()].filter((name) => {
      const egressIp = name === except ? undefined : index.get(name);
      const wanted = (egressIp && wantedBy(egressIp)) ?? NONE;
      return [...wanted.keys()].some((address) => !allocator.heldBy(name).has(address));
    });
  }

  #wantedOrAsked(name: string, egressIp: EgressIp | undefined): string[] {
    const wanted = (egressIp && wantedBy(egressIp)) ?? NONE;
    return [...wanted.keys(), ...this.#asked.of(name).keys()];
  }

  #isThere({ name, uid }: EgressIp): boolean {
    return this.index.get(name)?.uid === uid;
  }

  async #read({ name, uid }: EgressIp): Promise<EgressIp | undefined> {
    const { client } = this.kit;
    const object = await ignoring([404], client.get(EGRESS_IPS, { namespace: "", name }));
    const live = object && readEgressIp(object);
    return live?.uid === uid ? live : undefined;
  }

  async #writeAnswers(egressIp: EgressIp): Promise<EgressIp> {
    const { name, items } = egressIp;
    const answers = this.#answers.take(name);
    if (answers.length === 0) return egressIp;
    // A granted request that a user created for the EgressIP becomes an allocation if the node has free capacity.
    const wanted = wantedBy(egressIp);
    for (const { type, item } of answers) {
      const ip = type === "granted" ? wanted?.get(item.egressIP) : undefined;
      if (!ip || !this.allocator.hasRoom(item.node, ip)) continue;
      keepRequest(this.allocator, { egressIp: name, address: item.egressIP }, item.node);
    }
    try {
      return await this.#write(egressIp, applyAnswers(items, answers));
    } catch (error) {
      this.#answers.putBack(name, answers);
      throw error;
    }
  }

  async #write(egressIp: EgressIp, items: readonly StatusItem[]): Promise<EgressIp> {
    const mark = this.newMark(egressIp);
    await writeStatus(this.kit.client, egressIp, { items, mark });
    return { ...egressIp, items, hasStatus: true, mark: mark ?? egressIp.mark };
  }

  /** Requests assigned addresses. An address whose old request is being released is moved instead. */
  #ask(egressIp: string, { placed, removed }: Plan): Promise<void>[] {
    const leaving = new Map(this.#leavers.of(egressIp));
    const targets = new Map(placed.map(({ egressIP, node }) => [egressIP, node]));
    for (const [address, node] of this.allocator.heldBy(egressIp)) {
      if (leaving.get(address) === "asked") targets.set(address, node);
    }
    return [...targets].map(async ([address, node]) => {
      const requested = { egressIp, address };
      this.#asked.set(egressIp, address, true);
      this.#blocked.set(address, egressIp, true); // until the request succeeds
      if (this.#left.hasOther(address, egressIp) || this.#leavers.hasOther(address, egressIp)) {
        throw new Error(`${address} is still being given back by another EgressIP`);
      }
      if (leaving.get(address) === "asked") await this.#move(requested, node, removed);
      else await this.#requests.request(requested, node);
      this.#leavers.done(egressIp, address);
      this.#blocked.delete(address, egressIp);
    });
  }

  async #move(requested: RequestedAddress, node: string, removed: readonly StatusItem[]): Promise<void> {
    const { egressIp, address } = requested;
    const isGranted = await this.#requests.move(requested, node);
    const item = { egressIP: address, node };
    if (!isGranted || !removed.some((other) => isSameItem(other, item))) return;
    // The address returns to the node that it just left. The cloud sends no new response, so the grant is added here.
    this.#answers.note({ type: "granted", egressIp, item });
    this.kit.look(this.due([egressIp]));
  }

  /** Deletes the requests of released addresses, unless they are allocated to the EgressIP again. */
  #giveBack(egressIp: string, leavers: Leavers): Promise<void>[] {
    const { allocator } = this;
    return leavers.of(egressIp).map(async ([address, how]) => {
      const holder = allocator.holderOf(address)?.egressIp;
      if (holder === egressIp && leavers === this.#leavers) {
        if (how === "maybe") leavers.done(egressIp, address);
        return;
      }
      const isOurs = ({ owner }: CloudPrivateIpConfig): boolean =>
        owner === egressIp || (how === "asked" && (holder === undefined || holder === egressIp));
      await this.#requests.giveBack({ egressIp, address }, isOurs);
      this.#asked.delete(egressIp, address);
      leavers.done(egressIp, address);
      this.kit.look(this.due(this.#unblock(address)));
    });
  }

  /** Returns and clears the EgressIPs whose request for the address failed. */
  #unblock(address: string): string[] {
    const blocked = [...this.#blocked.of(address).keys()];
    this.#blocked.deleteAll(address);
    return blocked;
  }
}

const NONE: ReadonlyMap<string, unknown> = new Map();

/** Waits for all promises, then throws the first rejection. */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

const canonical = (address: string): string => parseIp(address)?.text ?? address;
