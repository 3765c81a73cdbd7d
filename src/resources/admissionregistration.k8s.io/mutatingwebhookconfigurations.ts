// MutatingWebhookConfiguration: servers that are asked about writes and may change them.
import { builtIn } from "../define.ts";
import { printWebhooks, WEBHOOK_COLUMNS, webhookStrategy } from "./webhooks.ts";

export const mutatingWebhookConfigurations = builtIn(
  "admissionregistration.k8s.io/v1",
  "MutatingWebhookConfiguration",
  {
    categories: ["api-extensions"],
    namespaceScoped: false,
    columns: WEBHOOK_COLUMNS,
    printRow: printWebhooks,
    strategy: webhookStrategy(true),
  },
);
