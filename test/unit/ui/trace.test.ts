// Requests of the trace view, and the packet path as stages.
import { expect, test } from "vitest";
import type { TracedOutcome } from "../../../src/ovn/trace/outcome.ts";
import type { Trace } from "../../../src/ovn/trace/trace.ts";
import { parseRoute } from "../../../src/ui/frame/route.ts";
import { commandOf, fullName, isMany, questionOf, requestOf } from "../../../src/ui/trace/question.ts";
import { stationsOf } from "../../../src/ui/trace/way.ts";

const asked = (search: string) => questionOf(parseRoute("/egret/ui/trace", search));

test("a question is read from the address, and short names are completed", () => {
  const question = asked("?from=shop/web&to=8.8.8.8:53&proto=udp");
  expect(question).toEqual({ from: "pod/shop/web", to: "8.8.8.8:53", protocol: "udp" });
  expect(requestOf(question)).toEqual({ namespace: "shop", pod: "web", to: "8.8.8.8:53", protocol: "udp" });
  expect(["shop", " namespace/shop ", "ns/shop"].map(fullName)).toEqual(["ns/shop", "ns/shop", "ns/shop"]);
  expect(asked("?proto=smoke").protocol).toBe("tcp");
});

test("many are meant by a namespace, by nobody, and never by one pod", () => {
  expect(["?from=shop", "?to=8.8.8.8", "?from=shop/web"].map((search) => isMany(asked(search)))).toEqual([
    true,
    true,
    false,
  ]);
  expect(requestOf(asked("?from=shop/web"))).toBeUndefined();
  expect(requestOf(asked("?from=shop&to=8.8.8.8"))).toBeUndefined();
});

test("the command gives the same, and a shell takes it as it is meant", () => {
  expect(commandOf(asked("?from=shop/web&to=8.8.8.8:53&proto=udp"))).toBe(
    "egret trace pod/shop/web --to 8.8.8.8:53 --protocol udp",
  );
  expect(commandOf(asked("?from=shop&to=0.0.0.0/0"))).toBe("egret trace --from ns/shop --to 0.0.0.0/0");
  expect(commandOf(asked("?to=a"))).toBe("egret trace --matrix --to a");
  expect(commandOf(asked(`?from=a/b&to=${encodeURIComponent("it's; rm")}`))).toBe(
    "egret trace pod/a/b --to 'it'\\''s; rm'",
  );
});

const TRACE: Trace = {
  from: { namespace: "shop", pod: "web", node: "n1", network: "default", addresses: ["10.128.0.5"] },
  to: "8.8.8.8:443",
  verdict: "allowed",
  summary: "",
  outcomes: [],
  ambiguities: [],
  unusedEgressIps: [],
  warnings: [],
};
const OUTCOME: TracedOutcome = {
  verdict: "allowed",
  text: "",
  likely: false,
  node: "n2",
  source: "192.168.126.101",
  interface: "br-ex",
  nextHop: "192.168.126.1",
  destination: { address: "8.8.8.8", port: 443, protocol: "tcp" },
  steps: [
    { stage: "route", result: "routed", by: [{ kind: "EgressIP", name: "web" }], text: "", likely: false },
  ],
};
const names = (outcome: TracedOutcome) => stationsOf(TRACE, outcome).map(({ by, name }) => [by, name]);

test("by an egress address of another node", () => {
  expect(names(OUTCOME)).toEqual([
    ["", "shop/web"],
    ["", "n1"],
    ["overlay", "n2"],
    ["SNAT", "192.168.126.101"],
    ["br-ex", "8.8.8.8:443"],
  ]);
});

test("from its own node, with its own address", () => {
  expect(names({ ...OUTCOME, node: "n1", source: "10.128.0.5" })).toEqual([
    ["", "shop/web"],
    ["", "n1"],
    ["br-ex", "8.8.8.8:443"],
  ]);
});

test("what is denied ends at the node of the pod", () => {
  const stations = stationsOf(TRACE, { ...OUTCOME, verdict: "denied" });
  expect(stations.map(({ name, isEnd }) => [name, isEnd])).toEqual([
    ["shop/web", false],
    ["n1", true],
  ]);
});
