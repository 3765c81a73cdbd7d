// MutatingWebhookConfiguration: servers that are asked about writes and may change them.
import { builtIn } from "../define.ts";
import { GROUP } from "./policy.ts";
import { printWebhooks, WEBHOOK_COLUMNS, webhookStrategy } from "./webhooks.ts";

export const mutatingWebhookConfigurations = builtIn({
  type: "io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration",
  group: GROUP,
  version: "v1",
  resource: "mutatingwebhookconfigurations",
  categories: ["api-extensions"],
  namespaceScoped: false,
  columns: WEBHOOK_COLUMNS,
  printRow: printWebhooks,
  strategy: webhookStrategy(true),
});
