import type { ApiRequest } from "../../src/apiserver/endpoints/api-request.ts";
import { parseRequestInfo, Query } from "../../src/apiserver/endpoints/request/request-info.ts";

/** Returns the parts of a request that its request line determines. */
export function askedFor(
  method: string,
  path: string,
  query = "",
): Pick<ApiRequest, "method" | "path" | "query" | "info"> {
  const parsed = new Query(query);
  return { method, path, query: parsed, info: parseRequestInfo(method, path, parsed) };
}
