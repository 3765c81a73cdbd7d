// The refusal of what somebody may not do, word for word as a real server words it.
import { goQuote } from "../../go/quote.ts";
import { failure, forbidden, type StatusError } from "../../meta/status.ts";
import type { AccessAttributes, Authorizer, ResourceAttributes } from "../../registry/definition/access.ts";

/** Throws 403 when the attributes are not allowed. */
export function demandAccess(authorizer: Authorizer, attributes: AccessAttributes): void {
  const { allowed, reason } = authorizer.authorize(attributes);
  if (!allowed) throw accessForbidden(attributes, reason);
}

/**
 * Throws 403 when somebody who was let to change an object may not make it. There is no more to read than the
 * authorizer's reason, and RBAC mostly gives none.
 */
export function demandCreate(authorizer: Authorizer, attributes: ResourceAttributes): void {
  const { allowed, reason } = authorizer.authorize(attributes);
  if (!allowed) throw forbidden(attributes, attributes.name, reason);
}

export function accessForbidden(attributes: AccessAttributes, reason: string): StatusError {
  const text = escapeMarkup(describe(attributes));
  const why = reason === "" ? text : `${text}: ${reason}`;
  if (attributes.type === "resource") return forbidden(attributes, attributes.name, why);
  return failure({ code: 403, reason: "Forbidden", message: `forbidden: ${why}`, details: {} });
}

function describe(attributes: AccessAttributes): string {
  const who = `User ${goQuote(attributes.user.name)} cannot ${attributes.verb}`;
  if (attributes.type === "path") return `${who} path ${goQuote(attributes.path)}`;
  const { group, resource, subresource, namespace } = attributes;
  const what = goQuote(subresource === "" ? resource : `${resource}/${subresource}`);
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${what} in API group ${goQuote(group)} ${where}`;
}

/** Names come out of URLs, and some clients show messages as HTML. */
function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
