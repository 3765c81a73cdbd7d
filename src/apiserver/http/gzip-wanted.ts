// Selects responses for gzip: large ones of the Kubernetes API, for clients that accept gzip. The control API is
// excluded, because its clients are local.
import type { ApiRequest, ApiResponse } from "../endpoints/api-request.ts";
import { acceptsGzip } from "../endpoints/request/accept-encoding.ts";

/** Smaller responses are not compressed. */
export const PLAIN_BYTES_MAX = 128 * 1024;

const API_PATH = /^\/apis?(?:\/|$)/;

export function wantsGzip({ method, path, headers }: ApiRequest, answered: ApiResponse): boolean {
  const { body } = answered;
  const mayBeLarge = typeof body === "function" || (body !== undefined && body.byteLength > PLAIN_BYTES_MAX);
  return mayBeLarge && method !== "HEAD" && API_PATH.test(path) && acceptsGzip(headers["accept-encoding"]);
}
