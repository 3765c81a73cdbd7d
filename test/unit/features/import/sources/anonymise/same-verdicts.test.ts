// Packets get the same verdicts in an anonymised cluster as in the original: all trace examples, before and after.
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../../../src/apimachinery/meta/object-meta.ts";
import { anonymiser } from "../../../../../../src/features/import/sources/anonymise/anonymise.ts";
import { NEEDED_KINDS } from "../../../../../../src/ovn/needed-kinds.ts";
import { type ClusterFacts, DEFAULT_FACTS } from "../../../../../../src/ovn/snapshot.ts";
import type { Trace } from "../../../../../../src/ovn/trace/trace.ts";
import { EXT, type Example } from "../../../../ovn/trace/example.ts";
import { COMBINED } from "../../../../ovn/trace/examples-combined.ts";
import { OF_EGRESS_IPS } from "../../../../ovn/trace/examples-egress-ip.ts";
import { MARKED } from "../../../../ovn/trace/examples-marks.ts";
import { MORE } from "../../../../ovn/trace/examples-more.ts";
import { OF_NETWORKS } from "../../../../ovn/trace/examples-networks.ts";
import { OF_POLICIES } from "../../../../ovn/trace/examples-policies.ts";
import { MORE_RULES } from "../../../../ovn/trace/examples-rules.ts";
import { traced, world } from "../../../../ovn/world.ts";

const { object: change, text } = anonymiser("verdicts");
const EXAMPLES = [
  ...[...OF_EGRESS_IPS, ...OF_POLICIES, ...OF_NETWORKS, ...MORE, ...MORE_RULES, ...MARKED, ...COMBINED],
];

/** The examples leave apiVersion out. */
function changed(object: KubeObject): KubeObject {
  const kind = NEEDED_KINDS.find((one) => one.kind === object.kind);
  const apiVersion = kind === undefined || kind.group === "" ? "v1" : `${kind.group}/${kind.version}`;
  const found = change({ apiVersion, ...object });
  if (found === undefined) throw new Error(`${object.kind} is left out`);
  return found;
}

/** A port, and its protocol, stay. */
const destinationUnder = (to: string): string => {
  const [, host = to, port = ""] = /^(.*?)(:\d+)?$/.exec(to) ?? [];
  return /^\[.*\]$/.test(host) || host.split(":").length < 3 ? `${text(host)}${port}` : text(to);
};

function factsUnder(facts: Partial<ClusterFacts> = {}): Partial<ClusterFacts> {
  const all = { ...DEFAULT_FACTS, ...facts };
  const names = Object.entries(all.names).map(
    ([name, list]) => [text(name.toLowerCase()), list.map(text)] as const, // letters of hosts have no case
  );
  const tables = Object.entries(all.tables).map(
    ([name, what]) => [text(name), what === "blackhole" ? what : text(what)] as const,
  );
  return {
    ...all,
    clusterSubnets: text(all.clusterSubnets),
    serviceSubnets: text(all.serviceSubnets),
    joinSubnets: text(all.joinSubnets),
    transitSubnets: text(all.transitSubnets),
    masqueradeSubnets: text(all.masqueradeSubnets),
    names: Object.fromEntries(names),
    tables: Object.fromEntries(tables),
  };
}

/** What becomes of the packets: in words that the other names do not change. */
function fates({ outcomes, ambiguities, warnings }: Trace, named: (text: string) => string) {
  const words = outcomes.map(({ verdict, source, node, nextHop, dscp, likely, steps }) => {
    const deciders = steps.flatMap(({ by }) => by.map(({ kind, rule }) => `${kind} ${rule ?? ""}`));
    const [from, at, hop] = [source, node, nextHop].map((one) => (one === undefined ? "" : named(one)));
    return [verdict, from, at, hop, dscp?.value, likely, ...deciders].join(" ");
  });
  return { words: [...new Set(words)].sort(), ambiguities: ambiguities.length, warnings: warnings.length };
}

const trace = ({ objects, to = EXT, ask }: Example): Trace => traced(world(...objects), to, ask);

function traceUnder({ objects, to = EXT, ask = {} }: Example): Trace {
  const { facts, namespace = "ns", pod = "p", ...request } = ask;
  return traced(world(...objects).map(changed), destinationUnder(to), {
    ...request,
    ...{ namespace: text(namespace), pod: text(pod), facts: factsUnder(facts) },
  });
}

describe("a packet", () => {
  test.each(EXAMPLES.map((example) => [`${example.n}, ${example.what}`, example] as const))(
    "%s",
    (_name, example) => {
      expect(fates(traceUnder(example), (one) => one)).toEqual(fates(trace(example), text));
    },
  );
});
