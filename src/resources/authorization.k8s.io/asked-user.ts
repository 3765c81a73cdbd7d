// Of whom a review asks when it is not about the one who asks.
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { type JsonObject, objectAt, textAt, textsAt } from "../../meta/json.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";

export function askedUser(spec: JsonObject | undefined): UserInfo {
  const uid = textAt(spec, "uid");
  const extra = objectAt(spec, "extra");
  return {
    name: textAt(spec, "user"),
    ...(uid === "" ? {} : { uid }),
    groups: textsAt(spec, "groups"),
    ...(extra
      ? { extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])) }
      : {}),
  };
}

/** Without a name at least one group has to be given. */
export function askedUserErrors(spec: JsonObject | undefined): FieldError[] {
  const { name, groups } = askedUser(spec);
  if (name !== "" || groups.length > 0) return [];
  return [invalid("spec.user", name, "at least one of user or group must be specified")];
}
