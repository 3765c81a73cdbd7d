// Evaluates the podFailurePolicy of a Job for a failed pod. The first matching rule decides. Pure.
import { type JsonObject, objectAt, objectsAt, textAt } from "../../apimachinery/json/json.ts";
import { type KubeObject, specOf } from "../../apimachinery/meta/object-meta.ts";
import { statusOf } from "../workloads/resources.ts";
import { placeOfPod } from "./job-pods.ts";

export interface Verdict {
  readonly action: "FailJob" | "FailIndex" | "Ignore" | "Count";
  /** Why the Job fails. */
  readonly message: string;
}

/** If no rule matches, the failure counts. */
export function verdictOn(pod: KubeObject, job: KubeObject): Verdict {
  const rules = objectsAt(objectAt(specOf(job), "podFailurePolicy"), "rules");
  for (const [index, rule] of rules.entries()) {
    const found = matched(pod, rule);
    if (found === undefined) continue;
    const action = textAt(rule, "action") as Verdict["action"]; // validated
    return { action, message: `${found} matching ${action} rule at index ${index}` };
  }
  return { action: "Count", message: "" };
}

export const isIgnored = (pod: KubeObject, job: KubeObject): boolean =>
  verdictOn(pod, job).action === "Ignore";

function matched(pod: KubeObject, rule: JsonObject): string | undefined {
  const codes = objectAt(rule, "onExitCodes");
  return codes ? exitMatched(pod, codes) : conditionMatched(pod, objectsAt(rule, "onPodConditions"));
}

function exitMatched(pod: KubeObject, wanted: JsonObject): string | undefined {
  const statuses = ["containerStatuses", "initContainerStatuses"].flatMap((key) =>
    objectsAt(statusOf(pod), key),
  );
  const values = Array.isArray(wanted["values"]) ? wanted["values"].map(Number) : [];
  for (const status of statuses) {
    const terminated = objectAt(objectAt(status, "state"), "terminated");
    const name = textAt(status, "name");
    const isMeant = wanted["containerName"] === undefined || wanted["containerName"] === name;
    const code = Number(terminated?.["exitCode"] ?? 0);
    if (!terminated || !isMeant || code === 0) continue;
    if (values.includes(code) !== (wanted["operator"] === "In")) continue;
    return `Container ${name} for pod ${placeOfPod(pod)} failed with exit code ${code}`;
  }
  return undefined;
}

function conditionMatched(pod: KubeObject, wanted: readonly JsonObject[]): string | undefined {
  const conditions = objectsAt(statusOf(pod), "conditions");
  const found = wanted.find(({ type, status = "True" }) =>
    conditions.some((condition) => condition["type"] === type && condition["status"] === status),
  );
  return found && `Pod ${placeOfPod(pod)} has condition ${textAt(found, "type")}`;
}
