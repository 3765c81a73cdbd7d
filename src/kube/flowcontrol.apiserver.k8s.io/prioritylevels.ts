// PriorityLevelConfiguration: concurrency limit of a priority level, and the handling of excess requests.

import { type JsonObject, numberAt, objectAt } from "../../apimachinery/json/json.ts";
import { type FieldError, invalid } from "../../apimachinery/meta/field-error.ts";
import { AGE, column, NAME } from "../../apiserver/registry/strategy/columns.ts";
import { nameOf, specOf } from "../../apiserver/registry/strategy/fields.ts";
import type { CodeRules, Place } from "../../apiserver/registry/strategy/schema-rules.ts";
import { flowControlKind } from "./define-kind.ts";

const HASH_BITS_MAX = 60;

/** The hash of a flow needs enough bits to select each possible hand of queues (shuffle sharding). */
function validateHand({ field, owner }: Place): FieldError[] {
  const [queues, handSize] = [numberAt(owner, "queues") ?? 0, numberAt(owner, "handSize") ?? 0];
  if (handSize > queues) return [invalid(field, handSize, `should not be greater than queues (${queues})`)];
  if (Math.ceil(Math.log2(queues) * handSize) <= HASH_BITS_MAX) return [];
  const rule = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${HASH_BITS_MAX}`;
  return [invalid(field, handSize, rule)];
}

const rules: CodeRules = {
  hand: validateHand,
  type({ field, value, root }) {
    if ((nameOf(root) === "exempt") === (value === "Exempt")) return [];
    return [invalid(field, value, "type must be 'Exempt' if and only if name is 'exempt'")];
  },
};

const limitedCell =
  (read: (limited: JsonObject) => unknown) =>
  (object: Readonly<JsonObject>): unknown =>
    read(objectAt(specOf(object), "limited") ?? {}) ?? "<none>";

const queuingCell = (member: string) =>
  limitedCell((limited) => numberAt(objectAt(objectAt(limited, "limitResponse"), "queuing"), member));

export const priorityLevels = flowControlKind("PriorityLevelConfiguration", {
  columns: [
    NAME,
    column("Type", "Limited, or Exempt.", "spec.type"),
    column(
      "NominalConcurrencyShares",
      "Shares of all seats.",
      limitedCell((limited) => numberAt(limited, "nominalConcurrencyShares")),
    ),
    column("Queues", "How many queues there are.", queuingCell("queues")),
    column("HandSize", "From how many one is chosen.", queuingCell("handSize")),
    column("QueueLengthLimit", "How many requests wait in each.", queuingCell("queueLengthLimit")),
    AGE,
  ],
  rules,
});
