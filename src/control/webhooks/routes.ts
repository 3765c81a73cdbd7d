// The log of webhook calls over HTTP. Reviews contain whole objects, so both routes are for administrators.
import type { Query } from "../../apiserver/request/request-info.ts";
import { badRequest } from "../../meta/status.ts";
import { pauseForOthers } from "../../meta/turns.ts";
import { type ControlRoute, flag, integer, route, storedAnswer, text } from "../control-route.ts";
import {
  CALL_FILTERS,
  type CallFilter,
  WEBHOOK_LOG,
  type WebhookLog,
  type WebhookLogEntry,
} from "./webhook-log.ts";

const count = (description: string) => integer(description, { minimum: 0 });
const NUMBERS = {
  since: count("Entries after the one with this sequence number."),
  limit: count("The newest so many."),
};
const FILTERS = {
  ...Object.fromEntries(
    CALL_FILTERS.map((name) => [name, text(`Only calls with this ${name}; * stands for any letters.`)]),
  ),
  ...NUMBERS,
  reviews: flag("Whether entries have the AdmissionReviews that were sent."),
};

export const webhookLogRoutes = (log: WebhookLog): ControlRoute[] => [
  route("GET /requests/webhooks", "listWebhookCalls", {
    summary: "The last calls of admission webhooks, oldest first, with what their patches changed.",
    query: FILTERS,
    answer: ["The entries.", WEBHOOK_LOG],
    async handle({ raw }) {
      const filter = readFilter(raw.query);
      const items: WebhookLogEntry[] = [];
      for (const make of log.pending(filter)) {
        items.push(make());
        await pauseForOthers();
      }
      return storedAnswer(200, { items, last: log.last, missed: log.missed(filter.since ?? 0) });
    },
  }),
  route("DELETE /requests/webhooks", "clearWebhookCalls", {
    summary: "Forgets all calls of webhooks; the sequence goes on.",
    answer: ["The log is empty."],
    handle: () => log.clear(),
  }),
];

/** Throws 400. */
function readFilter(query: Query): CallFilter {
  const filter: Record<string, string | number | boolean> = {};
  for (const name of query.keys()) {
    if (!Object.hasOwn(FILTERS, name))
      throw badRequest(`there is no filter ${name}; there are ${Object.keys(FILTERS).join(", ")}`);
    const value = query.get(name);
    if (name === "reviews") filter[name] = value === "true";
    else if (!Object.hasOwn(NUMBERS, name)) filter[name] = value;
    else if (/^\d{1,15}$/.test(value)) filter[name] = Number(value);
    else throw badRequest(`${name}=${value} is no whole number`);
  }
  return filter;
}
