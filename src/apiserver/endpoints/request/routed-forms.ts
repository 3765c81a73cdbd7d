// The media type check of the router in front of built-in kinds, /api and /version, which rejects with its own
// messages before any handler. It compares types as strings: the only wildcard is "*/*".
import { failure, type StatusError } from "../../../apimachinery/meta/status.ts";
import type { ApiRequest } from "../api-request.ts";

export interface RoutedForms {
  /** Media types of bodies; absent: any. */
  readonly consumes?: readonly string[] | undefined;
  readonly produces: readonly string[];
}

const WITHOUT_BODY = ["GET", "HEAD", "OPTIONS", "DELETE", "TRACE"];
const WITH_BODY = ["POST", "PUT", "PATCH"];
const UNNAMED_TYPE = "application/octet-stream";
const ANY = "*/*";

/** Throws 415 for a body of another type, and 406 without an acceptable response type. */
export function demandForms(
  { method, headers }: Pick<ApiRequest, "method" | "headers">,
  { consumes, produces }: RoutedForms,
): void {
  const sent = headers["content-type"] || (WITHOUT_BODY.includes(method) ? "" : UNNAMED_TYPE);
  if (consumes !== undefined && sent !== "" && !namesOneOf(sent, consumes))
    throw refused(415, "UnsupportedMediaType", "415: Unsupported Media Type");
  const accepted = headers["accept"] || ANY;
  if (produces.includes(ANY) || namesOneOf(accepted, [ANY]) || namesOneOf(accepted, produces)) return;
  const available = `Available representations: ${produces.join(", ")}`;
  const length = headers["content-length"] ?? "";
  if (WITH_BODY.includes(method) && (length === "" || length === "0"))
    throw refused(415, "UnsupportedMediaType", `415: Unsupported Media Type\n\n${available}`);
  throw refused(406, "NotAcceptable", `406: Not Acceptable\n\n${available}`);
}

const namesOneOf = (header: string, types: readonly string[]): boolean =>
  header.split(",").some((clause) => types.includes((clause.split(";")[0] ?? "").trim()));

const refused = (
  code: number,
  reason: "UnsupportedMediaType" | "NotAcceptable",
  message: string,
): StatusError => failure({ code, reason, message, details: {} });
