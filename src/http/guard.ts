// Keeps web pages out of a server that asks nobody who he is, as kubectl proxy does: the Host header must name this
// machine, and a browser's Origin must be this very server.
import { isIPv4, isIPv6 } from "node:net";

export interface GuardOptions {
  /** The host that the server listens on. */
  readonly listenHost: string;
}

/** Whether an address or name means this machine and no other. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIPv4(bare)) return bare.startsWith("127.");
  if (isIPv6(bare)) return bare === "::1";
  return bare === "localhost" || bare.endsWith(".localhost");
}

/** The host of a Host header or an Origin, without the port; undefined when there is none. */
function hostPart(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  const withoutScheme = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  return /^(\[[^\]]*\]|[^:/]*)/.exec(withoutScheme)?.[1]?.toLowerCase();
}

/** Says why a request is refused, or undefined when it may pass. */
export function createGuard({
  listenHost,
}: GuardOptions): (headers: {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}) => string | undefined {
  const open = !isLoopback(listenHost); // somebody asked for it to be reached under other names
  let passed: string | undefined; // nearly all requests name the same host
  return ({ host, origin }) => {
    if (origin === undefined && host !== undefined && host === passed) return undefined;
    const target = hostPart(host);
    if (!open && target !== undefined && !isLoopback(target)) return "the Host header names another machine";
    if (origin === undefined) {
      passed = host;
      return undefined;
    }
    const source = hostPart(origin);
    const own = source !== undefined && (source === target || (!open && isLoopback(source)));
    return own && sameOrigin(origin, host) ? undefined : "requests from other web pages are not allowed";
  };
}

function sameOrigin(origin: string, host: string | undefined): boolean {
  return origin.replace(/^https?:\/\//i, "").toLowerCase() === (host ?? "").toLowerCase();
}
