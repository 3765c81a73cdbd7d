// Where a webhook is: a URL, or a Service and a path on it.

import { parseUrl, type Url } from "../../../go/url.ts";
import { type FieldError, invalid, required } from "../../../meta/field-error.ts";
import { type JsonObject, textOf } from "../../../meta/json.ts";
import { isDns1123Subdomain } from "../../../meta/names.ts";

const FORM = "; desired format: https://host[/path]";
const PORT_MAX = 65535;

export function validateWebhookUrl(text: string, field: string): FieldError[] {
  const url = readUrl(text);
  if (typeof url === "string") return [required(field, `url must be a valid URL: ${url}${FORM}`)];
  const errors: FieldError[] = [];
  const [beforeFragment = "", ...afterMark] = text.split("#");
  const fragment = afterMark.join("#");
  const user = /^[^/?]*\/\/([^/?]*)@/.exec(beforeFragment)?.[1];
  if (url.scheme !== "https") {
    errors.push(invalid(field, url.scheme, `'https' is the only allowed URL scheme${FORM}`));
  }
  if (url.host === "") errors.push(invalid(field, "", `host must be provided${FORM}`));
  if (user !== undefined) errors.push(invalid(field, user, "user information is not permitted in the URL"));
  if (fragment !== "") errors.push(invalid(field, fragment, "fragments are not permitted in the URL"));
  if (url.query !== "")
    errors.push(invalid(field, url.query, "query parameters are not permitted in the URL"));
  return errors;
}

/** The URL, or what is wrong with it. A path without anything before it is one, though no request can go there. */
function readUrl(text: string): Pick<Url, "scheme" | "host" | "query"> | string {
  const url = parseUrl(text);
  const relative = typeof url === "string" && /(invalid URI for request|empty url)$/.test(url);
  return relative ? { scheme: "", host: "", query: /\?([^#]*)/.exec(text)?.[1] ?? "" } : url;
}

export function validateWebhookService(service: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  // The two are taken for each other, as in a real server.
  if (textOf(service["namespace"]) === "") errors.push(required(`${path}.name`, "service name is required"));
  if (textOf(service["name"]) === "")
    errors.push(required(`${path}.namespace`, "service namespace is required"));
  const port = Number(service["port"] ?? 0);
  if (port < 1 || port > PORT_MAX) {
    errors.push(
      invalid(`${path}.port`, port, `port is not valid: must be between 1 and ${PORT_MAX}, inclusive`),
    );
  }
  return typeof service["path"] === "string"
    ? [...errors, ...pathErrors(service["path"], `${path}.path`)]
    : errors;
}

function pathErrors(path: string, field: string): FieldError[] {
  if (path === "" || path === "/") return [];
  if (path === "//") return [invalid(field, path, "segment[0] may not be empty")];
  const errors = path.startsWith("/") ? [] : [invalid(field, path, "must start with a '/'")];
  for (const [index, segment] of path.slice(1).replace(/\/$/, "").split("/").entries()) {
    if (segment === "") {
      errors.push(invalid(field, path, `segment[${index}] may not be empty`));
      continue;
    }
    for (const text of isDns1123Subdomain(segment))
      errors.push(invalid(field, path, `segment[${index}]: ${text}`));
  }
  return errors;
}
