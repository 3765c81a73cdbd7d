// Which EgressIPs select which namespaces and pods. The namespaces of an EgressIP are updated with each change. Pods are
// counted lazily, only in namespaces that changed since the last count.
import { equalJson } from "../../apimachinery/json/json.ts";
import type { LabelSelector } from "../../apimachinery/meta/label-selector.ts";
import { Anchored, labelsAsked, selectorOf } from "./anchored.ts";
import type { Model, Touched } from "./model.ts";
import type { EgressIpRecord, NamespaceRecord, PodRecord } from "./records.ts";

/** An EgressIP with its parsed selectors. */
interface Rule {
  record: EgressIpRecord;
  readonly namespaceSelector: LabelSelector;
  readonly podSelector: LabelSelector;
  /** Names of the selected namespaces. */
  readonly namespaces: Set<string>;
  /** `namespaces`, sorted; undefined: has to be sorted again. */
  ordered: readonly string[] | undefined;
  podCount: number;
}

/** A namespace that at least one EgressIP selects. */
interface Home {
  readonly rules: Set<Rule>;
  /** `rules`, indexed by pod selector. */
  readonly byPod: Anchored<Rule>;
  /** Number of selected pods per EgressIP, at the last count. */
  counts: Map<Rule, number>;
  /** Pods that more than one EgressIP selects. */
  twice: readonly PodRecord[];
}

export class Usage {
  readonly #model: Model;
  readonly #rules = new Map<string, Rule>();
  readonly #byNamespace = new Anchored<Rule>(({ namespaceSelector }) => namespaceSelector);
  readonly #homes = new Map<string, Home>();
  /** Namespaces whose pods have to be counted again. */
  readonly #stale = new Set<string>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** Must be called after each change of the model, with all that it touched. */
  update(touched: Touched): void {
    for (const uid of touched.egressips.keys()) this.#replaceRule(uid);
    for (const [uid, before] of touched.namespaces) {
      const after = this.#model.namespaces.get(uid);
      if (before && after && equalJson(before.labels, after.labels)) continue;
      const name = (before ?? after)?.name;
      if (name !== undefined) this.#meet(name);
    }
    for (const [uid, before] of touched.pods) {
      const after = this.#model.pods.get(uid);
      if (before && after && isSelectedAlike(before, after)) continue;
      for (const pod of [before, after]) if (pod) this.#stale.add(pod.namespace);
    }
  }

  /** Names of the namespaces that an EgressIP selects, sorted. The list keeps its identity until its content changes. */
  namespacesOf(egressIpUid: string): readonly string[] {
    const rule = this.#rules.get(egressIpUid);
    if (rule === undefined) return NO_NAMES;
    rule.ordered ??= [...rule.namespaces].sort();
    return rule.ordered;
  }

  /** EgressIPs whose namespace selector matches, whatever their pod selector, sorted by name. */
  egressIpsFor(namespace: string): readonly EgressIpRecord[] {
    return recordsOf(this.#homes.get(namespace)?.rules ?? []);
  }

  /** EgressIPs that select the pod, sorted by name. None for ended, unscheduled and host-network pods. */
  egressIpsOf(pod: PodRecord): readonly EgressIpRecord[] {
    if (!isLive(pod)) return [];
    return recordsOf(this.#homes.get(pod.namespace)?.byPod.matching(pod.labels) ?? []);
  }

  podCount(egressIpUid: string): number {
    this.#count();
    return this.#rules.get(egressIpUid)?.podCount ?? 0;
  }

  podCountIn(egressIpUid: string, namespace: string): number {
    this.#count();
    const rule = this.#rules.get(egressIpUid);
    return (rule && this.#homes.get(namespace)?.counts.get(rule)) ?? 0;
  }

  /** Pods that several EgressIPs select; which one applies is undefined upstream. */
  twiceIn(namespace: string): readonly PodRecord[] {
    this.#count();
    return this.#homes.get(namespace)?.twice ?? [];
  }

  #replaceRule(uid: string): void {
    const before = this.#rules.get(uid);
    const record = this.#model.egressips.get(uid);
    if (before && record && selectsAlike(before.record, record)) {
      before.record = record;
      return;
    }
    if (before) this.#removeRule(uid, before);
    if (record) this.#addRule(uid, record);
  }

  #removeRule(uid: string, rule: Rule): void {
    this.#rules.delete(uid);
    this.#byNamespace.delete(rule);
    for (const name of [...rule.namespaces]) this.#part(name, rule);
  }

  #addRule(uid: string, record: EgressIpRecord): void {
    const rule: Rule = {
      record,
      namespaceSelector: selectorOf(record.namespaceSelector),
      podSelector: selectorOf(record.podSelector ?? {}),
      namespaces: new Set(),
      ordered: undefined,
      podCount: 0,
    };
    this.#rules.set(uid, rule);
    this.#byNamespace.add(rule);
    for (const namespace of this.#namespacesAsked(rule.namespaceSelector))
      if (isSelected(namespace, rule)) this.#join(namespace.name, rule);
  }

  *#namespacesAsked(selector: LabelSelector): Iterable<NamespaceRecord> {
    const { namespaces, namespacesByLabel } = this.#model;
    const asked = labelsAsked(selector);
    if (asked === undefined) yield* namespaces.values();
    else for (const label of asked) yield* namespacesByLabel.at(label);
  }

  /** Matches the EgressIPs again, for a namespace that was created or deleted or changed its labels. */
  #meet(name: string): void {
    const labels = this.#model.namespaces.named(name)?.labels ?? {};
    const rules = new Set(Object.keys(labels).length === 0 ? [] : this.#byNamespace.matching(labels));
    for (const rule of [...(this.#homes.get(name)?.rules ?? [])])
      if (!rules.has(rule)) this.#part(name, rule);
    for (const rule of rules) this.#join(name, rule);
  }

  #join(name: string, rule: Rule): void {
    let home = this.#homes.get(name);
    if (!home) {
      const byPod = new Anchored<Rule>(({ podSelector }) => podSelector);
      home = { rules: new Set(), byPod, counts: new Map(), twice: [] };
      this.#homes.set(name, home);
    }
    if (home.rules.has(rule)) return;
    home.rules.add(rule);
    home.byPod.add(rule);
    rule.namespaces.add(name);
    rule.ordered = undefined;
    this.#stale.add(name);
  }

  #part(name: string, rule: Rule): void {
    const home = this.#homes.get(name);
    home?.rules.delete(rule);
    home?.byPod.delete(rule);
    rule.namespaces.delete(name);
    rule.ordered = undefined;
    this.#stale.add(name);
  }

  #count(): void {
    for (const name of this.#stale) {
      const home = this.#homes.get(name);
      if (home) this.#countPods(name, home);
    }
    this.#stale.clear();
  }

  #countPods(name: string, home: Home): void {
    for (const [rule, count] of home.counts) rule.podCount -= count;
    if (home.rules.size === 0) {
      this.#homes.delete(name);
      return;
    }
    const counts = new Map<Rule, number>();
    const twice: PodRecord[] = [];
    for (const pod of this.#model.podsByNamespace.at(name)) {
      if (!isLive(pod)) continue;
      const rules = home.byPod.matching(pod.labels);
      if (rules.length > 1) twice.push(pod);
      for (const rule of rules) counts.set(rule, (counts.get(rule) ?? 0) + 1);
    }
    for (const [rule, count] of counts) rule.podCount += count;
    home.counts = counts;
    home.twice = twice;
  }
}

const NO_NAMES: readonly string[] = [];

/** EgressIPs apply only to pods that run on a node and on the pod network. */
const isLive = ({ node, hasEnded, isOnHost }: PodRecord): boolean => node !== "" && !hasEnded && !isOnHost;

const isSelectedAlike = (a: PodRecord, b: PodRecord): boolean =>
  a.namespace === b.namespace && isLive(a) === isLive(b) && equalJson(a.labels, b.labels);

const selectsAlike = (a: EgressIpRecord, b: EgressIpRecord): boolean =>
  equalJson(a.namespaceSelector, b.namespaceSelector) && equalJson(a.podSelector, b.podSelector);

/** A namespace without labels is never selected, not even by an empty selector. */
const isSelected = ({ labels }: NamespaceRecord, { namespaceSelector }: Rule): boolean =>
  Object.keys(labels).length > 0 && namespaceSelector.matches(labels);

const recordsOf = (rules: Iterable<Rule>): readonly EgressIpRecord[] =>
  [...rules].map(({ record }) => record).sort((a, b) => (a.name < b.name ? -1 : 1));
