// The webhook log: a ring of the latest calls of admission webhooks with request, response and changes. Adding a call
// stores its texts; changes are computed when the log is read.
import { boundedText, cloneText } from "../../apimachinery/go/clone.ts";
import { isObject, type JsonObject } from "../../apimachinery/json/json.ts";
import { decodeJson } from "../../apimachinery/json/json-decode.ts";
import { LEVELS_MAX } from "../../apimachinery/meta/max-nesting-depth.ts";
import { applyJsonPatch, readJsonPatch } from "../../apimachinery/patch/json-patch.ts";
import { WEBHOOK_VERDICTS, type WebhookCall } from "../../apiserver/registry/admission-observer.ts";
import {
  described,
  flag,
  integer,
  list,
  maybe,
  number,
  object,
  oneOf,
  text,
  type ValueOf,
} from "../control-surface/control-route.ts";
import { CHANGE, valueChanges } from "../history/field-changes.ts";
import { checkFilters, logOf, NUMBER_FILTERS, textTest } from "../request-log/log-queries.ts";
import { type KeptCall, patchText, withoutSecrets } from "./hidden-values.ts";

export const WEBHOOK_LOG_ENTRIES = 500;
/** A larger review is not kept. Most objects take a few kilobytes. */
const REVIEW_CHARACTERS_MAX = 256 * 1024;
/** Limit of all reviews and patches: at most 8 MB of memory. The oldest are dropped first, their entries stay. */
const KEPT_CHARACTERS_MAX = 4 * 1024 * 1024;
// Clients and webhooks choose these texts.
const NAME_CHARACTERS_MAX = 512;
const MESSAGE_CHARACTERS_MAX = 4096;
const WARNINGS_MAX = 10;

const ENTRY = object({
  sequence: integer("Counts all calls since the start."),
  time: text("When it began, by the server's clock."),
  webhook: text("Its name."),
  configuration: text("The webhook configuration that has it."),
  type: oneOf(["mutating", "validating"], "Of the webhook."),
  reinvoked: flag("Whether it was called again because a later mutator had changed the object."),
  url: text("Where it was called."),
  operation: text("CREATE, UPDATE, DELETE or CONNECT."),
  group: text('"" is the core group.'),
  version: text("API version of the request."),
  resource: text("Plural name."),
  subresource: text("Such as status."),
  namespace: text('"" for cluster-scoped objects.'),
  name: text('"" while a generated name is not made yet.'),
  dryRun: flag("Whether the request is a dry run."),
  user: text("In whose name."),
  durationMs: number("Until there was a verdict, by the machine's clock."),
  verdict: oneOf(
    WEBHOOK_VERDICTS,
    "`failed-open` and `failed-closed`: no usable answer, passed over or not by failurePolicy; `error`: the server rejects the request.",
  ),
  code: integer("HTTP status code of the verdict; 0 for an error."),
  message: maybe(text("Why it is not allowed.")),
  warnings: maybe(list(text())),
  changes: list(CHANGE, "What the patch changes in the object. Values of Secrets and tokens are hidden."),
  omitted: maybe(text("Why there is no review, and no changes.")),
  review: maybe(
    described<JsonObject>({ type: "object" }, "The AdmissionReview as it was sent; with ?reviews=true."),
  ),
});
export type WebhookLogEntry = ValueOf<typeof ENTRY>;
export const WEBHOOK_LOG = logOf(ENTRY);

export const CALL_FILTERS = [
  "webhook",
  "configuration",
  "verdict",
  "operation",
  "group",
  "resource",
  "namespace",
  "name",
  "user",
] as const;

/** A filter without a value matches every call; in texts * is a wildcard. */
export interface CallFilter extends Readonly<Partial<Record<(typeof CALL_FILTERS)[number], string>>> {
  readonly since?: number;
  readonly limit?: number;
  /** Includes the reviews in the entries. */
  readonly reviews?: boolean;
}

type Facts = Omit<WebhookLogEntry, "changes" | "omitted" | "review">;

interface Slot {
  readonly facts: Facts;
  /** JSON; undefined: not kept. */
  review: string | undefined;
  patch: string;
  omitted: string;
}

/**
 * The latest calls of a server's admission webhooks.
 *
 * @example
 * expect(server.webhookCalls.entries({ verdict: "denied" })).toHaveLength(1);
 */
export class WebhookLog {
  readonly #slots: (Slot | undefined)[] = [];
  readonly #capacity: number;
  #added = 0;
  #cleared = 0;
  #characters = 0;
  /** The reviews of calls up to this sequence number have been dropped. */
  #dropped = 0;

  constructor(capacity = WEBHOOK_LOG_ENTRIES) {
    this.#capacity = capacity;
  }

  webhookCalled(call: WebhookCall): void {
    const place = this.#added % this.#capacity;
    this.#drop(this.#slots[place]);
    const slot = slotOf(call, ++this.#added);
    this.#slots[place] = slot;
    this.#characters += charactersOf(slot);
    this.#dropped = Math.max(this.#dropped, this.#added - this.#capacity);
    while (this.#characters > KEPT_CHARACTERS_MAX && this.#dropped < this.#added)
      this.#drop(this.#slots[this.#dropped++ % this.#capacity]);
  }

  /** The sequence number of the newest entry; 0 for an empty log. */
  get last(): number {
    return this.#added;
  }

  /** Oldest first. Throws a StatusError 400 for an unknown filter. */
  entries(filter: CallFilter = {}): WebhookLogEntry[] {
    return this.#found(filter).map((slot) => wordedCall(slot, filter.reviews === true));
  }

  /** As entries(), with one function per entry: applying a patch can take long, so the caller can yield in between. */
  pending(filter: CallFilter): (() => WebhookLogEntry)[] {
    return this.#found(filter).map((slot) => () => wordedCall(slot, filter.reviews === true));
  }

  clear(): void {
    this.#slots.length = 0;
    this.#characters = 0;
    this.#cleared = this.#added;
    this.#dropped = this.#added;
  }

  /** The number of entries after `since` that have been evicted. */
  missed(since: number): number {
    return Math.max(0, this.#added - this.#capacity - Math.max(since, this.#cleared));
  }

  #found(filter: CallFilter): Slot[] {
    checkFilters(Object.keys(filter), [...CALL_FILTERS, ...Object.keys(NUMBER_FILTERS), "reviews"]);
    const passes = textTest(filter, CALL_FILTERS);
    const { since = 0, limit = this.#capacity } = filter;
    const oldest = Math.max(since, this.#cleared, this.#added - this.#capacity);
    const found: Slot[] = [];
    for (let sequence = this.#added; sequence > oldest && found.length < limit; sequence--) {
      const slot = this.#slots[(sequence - 1) % this.#capacity];
      if (slot !== undefined && passes(slot.facts)) found.push(slot);
    }
    return found.reverse();
  }

  #drop(slot: Slot | undefined): void {
    if (slot?.review === undefined) return;
    this.#characters -= charactersOf(slot);
    Object.assign(slot, { review: undefined, patch: "", omitted: "later reviews took its place" });
  }
}

const charactersOf = ({ review = "", patch }: Slot): number => review.length + patch.length;

function slotOf(call: WebhookCall, sequence: number): Slot {
  const facts = factsOf(call, sequence);
  const { review, group, kind } = call;
  if (review === undefined) return { facts, review, patch: "", omitted: "nothing was sent" };
  const tooLong = `the review has more than ${REVIEW_CHARACTERS_MAX} characters`;
  if (review.length > REVIEW_CHARACTERS_MAX) return { facts, review: undefined, patch: "", omitted: tooLong };
  const shown = keptOf(group, kind, { review, patch: call.patch });
  if (shown === undefined) return { facts, review: shown, patch: "", omitted: "the review cannot be read" };
  const patch = patchText(shown.patch, REVIEW_CHARACTERS_MAX);
  if (patch !== undefined) return { facts, review: shown.review, patch, omitted: "" };
  return { facts, review: shown.review, patch: "", omitted: "the patch is too long to be kept" };
}

function keptOf(group: string, kind: string, call: KeptCall): KeptCall | undefined {
  try {
    return withoutSecrets(group, kind, call);
  } catch {
    return undefined;
  }
}

/** Copies the text: it may be a slice of a long URL or response. */
const kept = (text: string, charactersMax: number): string => cloneText(boundedText(text, charactersMax));

function factsOf(call: WebhookCall, sequence: number): Facts {
  const { attributes, message, warnings } = call;
  const { view, operation, subresource, namespace, name, context } = attributes;
  const { group, resource } = view.definition;
  const bounded = (given: string) => kept(given, NAME_CHARACTERS_MAX);
  return {
    ...{ sequence, time: new Date(call.startedMs).toISOString() },
    ...{ webhook: call.webhook, configuration: call.configuration, reinvoked: call.reinvoked },
    ...{ type: call.mutating ? "mutating" : "validating", url: bounded(call.url) },
    ...{ operation, group, version: view.version.name, resource, subresource },
    ...{ namespace: bounded(namespace), name: bounded(name) },
    ...{ dryRun: context.dryRun, user: bounded(context.user.name) },
    ...{ durationMs: Math.round(call.durationMs * 10) / 10, verdict: call.verdict, code: call.code },
    ...(message === "" ? {} : { message: kept(message, MESSAGE_CHARACTERS_MAX) }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.slice(0, WARNINGS_MAX).map(bounded) }),
  };
}

function wordedCall({ facts, review, patch, omitted }: Slot, withReview: boolean): WebhookLogEntry {
  const sent = review === undefined ? undefined : decodeJson(review, { depthMax: LEVELS_MAX }).value;
  return {
    ...facts,
    changes: changesOf(sent, patch),
    ...(omitted === "" ? {} : { omitted }),
    ...(withReview && isObject(sent) ? { review: sent } : {}),
  };
}

/** A patch that cannot be applied yields no changes: the message has the reason. */
function changesOf(review: unknown, patch: string) {
  if (patch === "") return [];
  const request = isObject(review) ? review["request"] : undefined;
  const before = isObject(request) && isObject(request["object"]) ? request["object"] : {};
  try {
    const { operations } = readJsonPatch(decodeJson(patch).value);
    return valueChanges(before, applyJsonPatch(before, operations));
  } catch {
    return [];
  }
}
