// HTTP routes of the webhook log. Reviews contain whole objects, so both routes are for administrators.
import { yieldIfDue } from "../../apimachinery/scheduling/event-loop.ts";
import { type ControlRoute, flag, route, storedAnswer } from "../control-surface/control-route.ts";
import { NUMBER_FILTERS, readFilters, textFilters } from "../request-log/log-queries.ts";
import {
  CALL_FILTERS,
  type CallFilter,
  WEBHOOK_LOG,
  type WebhookLog,
  type WebhookLogEntry,
} from "./webhook-log.ts";

const FILTERS = {
  ...textFilters(CALL_FILTERS, "calls"),
  ...NUMBER_FILTERS,
  reviews: flag("Whether entries have the AdmissionReviews that were sent."),
};

export const webhookLogRoutes = (log: WebhookLog): ControlRoute[] => [
  route("GET /requests/webhooks", "listWebhookCalls", {
    summary: "The last calls of admission webhooks, oldest first, with what their patches changed.",
    query: FILTERS,
    answer: ["The entries.", WEBHOOK_LOG],
    async handle({ raw }) {
      const filter: CallFilter = readFilters(raw.query, FILTERS);
      const items: WebhookLogEntry[] = [];
      for (const make of log.pending(filter)) {
        items.push(make());
        await yieldIfDue();
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
