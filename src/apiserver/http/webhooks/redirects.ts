// Redirects as Go's HTTP client follows them (net/http/client.go): 307 and 308 repeat the request, others turn it into a GET.
import { ExchangeError } from "../../../apimachinery/go/client-errors.ts";
import { goQuote } from "../../../apimachinery/go/strconv.ts";
import { hostnameOf, parseUrl, portOf, targetOf, type Url } from "../../../apimachinery/go/url.ts";
import type { RawAnswer, WebhookRequest } from "./exchange.ts";
import type { Peer } from "./verified-socket.ts";

/** The destination of the first request. */
interface Origin {
  readonly authority: string;
  readonly keepsName: boolean;
  readonly host: string;
  readonly port: number;
  readonly servername: string;
  readonly ca: string | undefined;
}

export interface Redirect {
  readonly request: WebhookRequest;
  readonly url: string;
  /** The Location header of the response. */
  readonly location: string;
}

const AS_GET = [301, 302, 303];
const AS_IT_WAS = [307, 308];

/** The next request; undefined: the response is final. Throws ExchangeError. */
export function redirectedBy(
  { status, headers }: RawAnswer,
  request: WebhookRequest,
  origin: Origin,
): Redirect | undefined {
  const { location = "" } = headers;
  const repeats = AS_IT_WAS.includes(status);
  if (location === "" || !(repeats || AS_GET.includes(status))) return undefined;
  const here = `${request.peer === undefined ? "http" : "https"}://${request.authority}${request.path}`;
  const resolved = URL.canParse(location, here) ? new URL(location, here).href : location;
  const url = parseUrl(resolved);
  if (typeof url === "string")
    throw ExchangeError.at(here, new Error(`failed to parse Location header ${goQuote(location)}: ${url}`));
  if (url.scheme !== "https" && url.scheme !== "http")
    throw ExchangeError.at(resolved, new Error(`unsupported protocol scheme ${goQuote(url.scheme)}`));
  const sent = repeats ? request : { ...request, method: "GET" as const, body: undefined };
  const to = { ...sent, authority: url.host, path: targetOf(url), ...connectionTo(url, origin) };
  return { request: to, url: resolved, location };
}

function connectionTo(url: Url, origin: Origin): Pick<WebhookRequest, "peer" | "plain"> {
  const name = hostnameOf(url);
  const port = Number(portOf(url) || (url.scheme === "https" ? 443 : 80));
  if (url.scheme === "http") return { peer: undefined, plain: { host: name, port } };
  const isOrigin = url.host === origin.authority;
  const address = isOrigin ? { host: origin.host, port: origin.port } : { host: name, port };
  const servername = origin.keepsName ? origin.servername : name;
  const peer: Peer = { ...address, servername, ca: origin.ca, offersHttp2: false };
  return { peer, plain: undefined };
}
