// How a webhook's refusal looks to the client: the Status that it gave, with its name before the message.
import { isObject, type JsonObject, objectAt, textOf } from "../../meta/json.ts";
import { type Status, type StatusDetails, StatusError } from "../../meta/status.ts";
import type { Webhook } from "./webhook.ts";

const CLIENT_ERROR = 400;

export function refusalBy({ name }: Webhook, given: JsonObject | undefined): StatusError {
  const denied = `admission webhook ${JSON.stringify(name)} denied the request`;
  const message = textOf(given?.["message"]);
  const reason = textOf(given?.["reason"]);
  const code = Number(given?.["code"] ?? 0);
  const details = objectAt(given, "details");
  const explained = message || reason;
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: isObject(given?.["metadata"]) ? given["metadata"] : {},
    status: "Failure",
    message: explained === "" ? `${denied} without explanation` : `${denied}: ${explained}`,
    ...(reason === "" ? {} : { reason }),
    ...(details ? { details: details as StatusDetails } : {}), // passed on as the webhook has made it
    code: Number.isInteger(code) && code >= CLIENT_ERROR && code < 600 ? code : CLIENT_ERROR,
  };
  return new StatusError(status);
}
