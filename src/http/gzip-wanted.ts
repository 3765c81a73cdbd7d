// Which answers leave as gzip: large ones of the Kubernetes API, for clients that ask for it. The control surface, whose
// clients run on this machine, is left out.
import type { ApiRequest, ApiResponse } from "../apiserver/api-request.ts";
import { acceptsGzip } from "../apiserver/request/accept-encoding.ts";

/** Up to this size an answer is sent as it is. */
export const PLAIN_BYTES_MAX = 128 * 1024;

const API_PATH = /^\/apis?(?:\/|$)/;

export function wantsGzip({ method, path, headers }: ApiRequest, answered: ApiResponse): boolean {
  const { body } = answered;
  const mayBeLarge = typeof body === "function" || (body !== undefined && body.byteLength > PLAIN_BYTES_MAX);
  return mayBeLarge && method !== "HEAD" && API_PATH.test(path) && acceptsGzip(headers["accept-encoding"]);
}
