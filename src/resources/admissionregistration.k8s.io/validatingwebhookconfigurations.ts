// ValidatingWebhookConfiguration: servers that are asked about writes and may refuse them.
import { builtIn } from "../define.ts";
import { GROUP } from "./policy.ts";
import { printWebhooks, WEBHOOK_COLUMNS, webhookStrategy } from "./webhooks.ts";

export const validatingWebhookConfigurations = builtIn({
  type: "io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration",
  group: GROUP,
  version: "v1",
  resource: "validatingwebhookconfigurations",
  categories: ["api-extensions"],
  namespaceScoped: false,
  columns: WEBHOOK_COLUMNS,
  printRow: printWebhooks,
  strategy: webhookStrategy(false),
});
