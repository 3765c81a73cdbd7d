// ValidatingWebhookConfiguration: servers that are asked about writes and may refuse them.
import { builtIn } from "../define.ts";
import { printWebhooks, WEBHOOK_COLUMNS, webhookStrategy } from "./webhooks.ts";

export const validatingWebhookConfigurations = builtIn(
  "admissionregistration.k8s.io/v1",
  "ValidatingWebhookConfiguration",
  {
    categories: ["api-extensions"],
    namespaceScoped: false,
    columns: WEBHOOK_COLUMNS,
    printRow: printWebhooks,
    strategy: webhookStrategy(false),
  },
);
