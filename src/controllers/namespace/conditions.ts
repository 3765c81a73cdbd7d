// status.conditions of a namespace under deletion: how far its emptying has come, in the words of the real controller.
import { isObject, type JsonObject } from "../../meta/json.ts";
import type { NamespaceContent } from "./content.ts";

interface Finding {
  readonly reason: string;
  readonly message: string;
}

interface ConditionRule {
  readonly type: string;
  /** Said, with status False, when there is nothing to find. */
  readonly fine: Finding;
  /** What to say with status True. Left out where a server that is asked in process cannot fail. */
  readonly find?: (content: NamespaceContent) => Finding | undefined;
}

const RULES: readonly ConditionRule[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    fine: { reason: "ResourcesDiscovered", message: "All resources successfully discovered" },
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    fine: { reason: "ParsedGroupVersions", message: "All legacy kube types successfully parsed" },
  },
  {
    type: "NamespaceDeletionContentFailure",
    fine: {
      reason: "ContentDeleted",
      message: "All content successfully deleted, may be waiting on finalization",
    },
    find: findFailures,
  },
  {
    type: "NamespaceContentRemaining",
    fine: { reason: "ContentRemoved", message: "All content successfully removed" },
    find: findContent,
  },
  {
    type: "NamespaceFinalizersRemaining",
    fine: { reason: "ContentHasNoFinalizers", message: "All content-preserving finalizers finished" },
    find: findFinalizers,
  },
];

/** The conditions with what is now known of the content; undefined when they say so already. Others stay as they are. */
export function conditionsWith(
  conditions: readonly unknown[],
  content: NamespaceContent,
  now: string,
): unknown[] | undefined {
  const next = [...conditions];
  let changed = false;
  for (const { type, fine, find } of RULES) {
    const found = find?.(content);
    const { reason, message } = found ?? fine;
    const status = found ? "True" : "False";
    const index = next.findIndex((item) => isObject(item) && item["type"] === type);
    const old = next[index];
    const known: JsonObject = isObject(old) ? old : {};
    if (known["status"] === status && known["reason"] === reason && known["message"] === message) continue;
    changed = true;
    const lastTransitionTime = known["status"] === status ? known["lastTransitionTime"] : now;
    const condition = { ...known, type, status, lastTransitionTime, reason, message };
    if (index < 0) next.push(condition);
    else next[index] = condition;
  }
  return changed ? next : undefined;
}

function findFailures({ errors }: NamespaceContent): Finding | undefined {
  if (errors.length === 0) return undefined;
  return {
    reason: "ContentDeletionFailed",
    message: `Failed to delete all resource types, ${errors.length} remaining: ${sorted(errors).join(", ")}`,
  };
}

function findContent({ leftovers }: NamespaceContent): Finding | undefined {
  if (leftovers.length === 0) return undefined;
  const parts = leftovers.map(
    ({ resource, count }) => `${resource.resource}.${resource.group} has ${count} resource instances`,
  );
  return {
    reason: "SomeResourcesRemain",
    message: `Some resources are remaining: ${sorted(parts).join(", ")}`,
  };
}

function findFinalizers({ leftovers }: NamespaceContent): Finding | undefined {
  const totals = new Map<string, number>();
  for (const { finalizers } of leftovers) {
    for (const [finalizer, count] of finalizers) totals.set(finalizer, (totals.get(finalizer) ?? 0) + count);
  }
  if (totals.size === 0) return undefined;
  const parts = [...totals].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  return {
    reason: "SomeFinalizersRemain",
    message: `Some content in the namespace has finalizers remaining: ${sorted(parts).join(", ")}`,
  };
}

const sorted = (texts: readonly string[]): string[] => [...texts].sort();
