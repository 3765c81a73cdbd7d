// Whether an Uplink is there on every node that it names: each of its nodes has an UplinkState that says so.
import { isObject, type JsonObject } from "../../meta/json.ts";
import { InvalidSelectorError, labelSelectorFromObject } from "../../meta/label-selector.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { type Condition, fitting, isTrue } from "../networks/conditions.ts";

export interface UplinkWorld {
  readonly nodes: Iterable<KubeObject>;
  state(name: string): KubeObject | undefined;
}

/** The condition Ready. */
export function uplinkReady(uplink: KubeObject, world: UplinkWorld): Condition {
  const condition = (status: "True" | "False", reason: string, message: string): Condition => ({
    type: "Ready",
    status,
    reason,
    message: fitting(message),
  });
  const nodes = selectNodes(uplink, world.nodes);
  if (!nodes) {
    return condition("False", "InvalidSpec", "Uplink is not ready because its spec is not accepted");
  }
  if (nodes.overlapping.length > 0) {
    const message = `multiple Uplink nodeConfigs select nodes: ${nodes.overlapping.join(",")}`;
    return condition("False", "NodeSelectorOverlap", message);
  }
  if (nodes.selected.length === 0) {
    return condition("False", "NoMatchingNodes", "no nodes match any Uplink nodeConfig");
  }
  for (const node of nodes.selected) {
    const problem = findProblem(uplink.metadata.name ?? "", node, world);
    if (problem) return condition("False", ...problem);
  }
  return condition("True", "Ready", "all selected nodes are ready");
}

function findProblem(uplink: string, node: string, world: UplinkWorld): [string, string] | undefined {
  const name = `${uplink}.${node}`;
  const state = world.state(name);
  if (!state) return ["MissingUplinkState", `UplinkState ${name} is missing`];
  const spec = isObject(state["spec"]) ? state["spec"] : {};
  for (const [key, expected] of [
    ["uplinkName", uplink],
    ["nodeName", node],
  ] as const) {
    if (spec[key] === expected) continue;
    const said = JSON.stringify(spec[key] ?? "");
    return ["UplinkStateIdentityError", `UplinkState ${name} reports ${key} ${said}`];
  }
  return isTrue(state, "Resolved")
    ? undefined
    : ["UplinkStateNotResolved", `UplinkState ${name} is not resolved`];
}

interface SelectedNodes {
  /** By name. */
  readonly selected: readonly string[];
  /** Those that more than one nodeConfig names. */
  readonly overlapping: readonly string[];
}

/** Undefined where a selector cannot be understood. */
function selectNodes({ spec }: KubeObject, nodes: Iterable<KubeObject>): SelectedNodes | undefined {
  const configs = isObject(spec) && Array.isArray(spec["nodeConfigs"]) ? spec["nodeConfigs"] : [];
  try {
    const selectors = configs
      .filter(isObject)
      .map((config: JsonObject) => labelSelectorFromObject(config["nodeSelector"]));
    const named = [...nodes].map(({ metadata }) => ({
      name: metadata.name ?? "",
      times: selectors.filter((selector) => selector.matches(metadata.labels)).length,
    }));
    const namesOf = (kept: typeof named): string[] => kept.map(({ name }) => name).sort();
    return {
      selected: namesOf(named.filter(({ times }) => times === 1)),
      overlapping: namesOf(named.filter(({ times }) => times > 1)),
    };
  } catch (error) {
    if (error instanceof InvalidSelectorError) return undefined;
    throw error;
  }
}
