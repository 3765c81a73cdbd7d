// A user as the reviews of this group show him.
import type { JsonObject } from "../../meta/json.ts";
import type { UserInfo } from "../../registry/definition/request-context.ts";

export function showUser({ name, uid, groups, extra }: UserInfo): JsonObject {
  return {
    ...(name === "" ? {} : { username: name }),
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups } : {}),
    ...(extra && Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
