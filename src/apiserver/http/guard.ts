// Keeps web pages from a server without authentication, as kubectl proxy does: the Host header must name the local
// host, and a browser's Origin must be this server.
import { isIPv4, isIPv6 } from "node:net";

/** Whether an address or name is the local host. */
export function isLocalHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIPv4(bare)) return bare.startsWith("127.");
  if (isIPv6(bare)) return bare === "::1";
  return bare === "localhost" || bare.endsWith(".localhost");
}

/** The host of a Host header, without the port. */
function hostPart(text: string): string {
  return /^(?:\[[^\]]*\]|[^:/]*)/.exec(text)?.[0] ?? "";
}

/** Returns why a request to a server that listens on the host is rejected; undefined when it is accepted. */
export function createGuard(
  listenHost: string,
): (headers: {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}) => string | undefined {
  const open = !isLocalHost(listenHost); // --listen asks for it to be reached under other names
  let passed: string | undefined; // nearly all requests name the same host
  return ({ host, origin }) => {
    if (origin === undefined && host !== undefined && host === passed) return undefined;
    if (!open && host && !isLocalHost(hostPart(host))) return "the Host header names another machine";
    if (origin === undefined) {
      passed = host;
      return undefined;
    }
    return isOwnPage(origin, host) ? undefined : "requests from other web pages are not allowed";
  };
}

/** Whether the origin equals the server's own host and port. */
function isOwnPage(origin: string, host = ""): boolean {
  return origin !== "" && origin.replace(/^https?:\/\//i, "").toLowerCase() === host.toLowerCase();
}
