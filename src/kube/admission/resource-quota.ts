// ResourceQuota: limits the total usage of a namespace. A write that exceeds a quota is rejected. An admitted write
// updates the used amounts in the status of each quota, in its own transaction. Writes in a namespace with quotas
// are serialized to avoid conflicts; a conflict with another writer of a quota causes a retry. The resource quota
// controller releases usage.
import { cloneJson, objectAt } from "../../apimachinery/json/json.ts";
import type { KubeObject } from "../../apimachinery/meta/object-meta.ts";
import { refuse } from "../../apiserver/admission/request.ts";
import type { AdmissionAttributes, AdmissionPlugin } from "../../apiserver/registry/admission.ts";
import { decodeStored } from "../../apiserver/registry/codec/object-codec.ts";
import { lostRace } from "../../apiserver/registry/write/commit.ts";
import { type KeyValue, type KeyValueReader, prefixRange } from "../../storage/store.ts";
import {
  type Amounts,
  increaseOf,
  isSame,
  onlyNamed,
  readAmounts,
  showAmounts,
  sumOf,
  withoutZeros,
  writeAmounts,
} from "../quota/amounts.ts";
import { type Evaluator, evaluatorFor } from "../quota/evaluators.ts";
import { scopesOf } from "../quota/scopes.ts";
import type { PluginDeps } from "./about.ts";
import { Turns } from "./turns.ts";

export function createResourceQuota({ store, resources }: PluginDeps): AdmissionPlugin {
  const turns = new Turns();
  return {
    name: "ResourceQuota",
    charge(attributes, claims, commit) {
      const { namespace, object } = attributes;
      const evaluator = evaluatorOf(attributes);
      if (evaluator === undefined || object === undefined || quotasIn(store, namespace).length === 0)
        return undefined;
      const definition = resources?.findStorage("", "resourcequotas")?.definition;
      return turns.take(namespace, async () => {
        for (;;) {
          const counted = countIn(quotasIn(store, namespace), evaluator, attributes);
          for (const { kv, next } of counted)
            if (definition) claims.changeObject(definition, kv, next, "status");
          try {
            return await commit();
          } catch (error) {
            const isOld = counted.some(({ kv }) => store.get(kv.key)?.modRevision !== kv.modRevision);
            if (!lostRace(error) || !isOld) throw error;
            for (const { kv } of counted) claims.forget(kv.key);
          }
        }
      });
    },
  };
}

const quotasIn = (store: KeyValueReader, namespace: string): readonly KeyValue[] =>
  namespace === "" ? [] : store.list(prefixRange(`/registry/resourcequotas/${namespace}/`)).items;

/** undefined: the write has no counted usage. */
function evaluatorOf({ operation, view, subresource }: AdmissionAttributes): Evaluator | undefined {
  const evaluator = operation === "DELETE" ? undefined : evaluatorFor(view.definition);
  if (evaluator === undefined) return undefined;
  if (operation === "CREATE") return subresource === "" ? evaluator : undefined;
  const uses = subresource === "" ? evaluator.onUpdate : subresource === evaluator.subresource;
  return uses ? evaluator : undefined;
}

/** A stored quota with its limits for the evaluated objects. */
interface Quota {
  readonly kv: KeyValue;
  readonly object: Readonly<KubeObject>;
  readonly hard: Amounts;
  readonly used: Amounts;
  readonly limited: readonly string[];
}

function readQuota(kv: KeyValue, evaluator: Evaluator): Quota {
  const object = decodeStored(kv);
  const status = objectAt(object, "status");
  const hard = readAmounts(objectAt(status, "hard"));
  const limited = [...hard.keys()].filter((name) => evaluator.isCounted(name));
  return { kv, object, hard, used: readAmounts(objectAt(status, "used")), limited };
}

const isConcerned = (quota: Quota, evaluator: Evaluator, object: KubeObject): boolean =>
  quota.limited.length > 0 &&
  scopesOf(quota.object).every((selector) => evaluator.isInScope(selector, object));

interface Counted {
  readonly kv: KeyValue;
  readonly next: KubeObject;
}

/** The updated quotas of the write. Throws 403 where a quota is exceeded. */
function countIn(
  stored: readonly KeyValue[],
  evaluator: Evaluator,
  attributes: AdmissionAttributes,
): Counted[] {
  const { object } = attributes;
  if (object === undefined) return [];
  const quotas = stored
    .map((kv) => readQuota(kv, evaluator))
    .filter((quota) => isConcerned(quota, evaluator, object));
  for (const quota of quotas) demandFacts(quota, evaluator, attributes);
  const more = withoutZeros(increaseBy(evaluator, attributes));
  if (more.size === 0) return [];
  return quotas.flatMap((quota) => {
    const { kv, used } = quota;
    const sum = sumOf([used, chargeable(quota, more, attributes)]);
    if (isSame(used, sum)) return [];
    const next = cloneJson(quota.object) as KubeObject; // the copy may be changed
    next["status"] = { ...objectAt(next, "status"), used: writeAmounts(sum) };
    return [{ kv, next }];
  });
}

/** The object must specify the limited resources, and the used amounts of the quota must be known. */
function demandFacts(
  { object: { metadata }, limited, used }: Quota,
  evaluator: Evaluator,
  attributes: AdmissionAttributes,
): void {
  const { name } = metadata;
  const complaint = attributes.object && evaluator.complaint?.(limited, attributes.object);
  if (complaint !== undefined) throw refuse(attributes, `failed quota: ${name}: ${complaint}`);
  if (limited.every((resource) => used.has(resource))) return;
  const resources = [...limited].sort().join(",");
  throw refuse(attributes, `status unknown for quota: ${name}, resources: ${resources}`);
}

function increaseBy(evaluator: Evaluator, attributes: AdmissionAttributes): Amounts {
  const { object, oldObject, context } = attributes;
  const nowMs = context.clock.now();
  const usage: Amounts = object ? evaluator.usageOf(object, nowMs) : new Map();
  const negative = [...usage].filter(([, { nanos }]) => nanos < 0n).map(([name]) => name);
  if (negative.length > 0)
    throw refuse(attributes, `quota usage is negative for resource(s): ${negative.sort().join(",")}`);
  return oldObject ? increaseOf(usage, evaluator.usageOf(oldObject, nowMs)) : usage;
}

/** The part of the usage that the quota limits. Throws 403 where it exceeds the remaining amount. */
function chargeable(
  { object: { metadata }, hard, used }: Quota,
  more: Amounts,
  attributes: AdmissionAttributes,
): Amounts {
  const asked = onlyNamed(more, hard.keys());
  const sum = sumOf([used, asked]);
  const exceeded = [...asked.keys()].filter(
    (name) => (sum.get(name)?.nanos ?? 0n) > (hard.get(name)?.nanos ?? 0n),
  );
  if (exceeded.length === 0) return asked;
  const [requested, before, limited] = [asked, used, hard].map((amounts) =>
    showAmounts(onlyNamed(amounts, exceeded)),
  );
  const metrics = `requested: ${requested}, used: ${before}, limited: ${limited}`;
  throw refuse(attributes, `exceeded quota: ${metadata.name}, ${metrics}`);
}
