// Authentication by a front proxy: the holder of a certificate of its CA names users by headers, as --requestheader-client-ca-file
// of a kube-apiserver allows.
import { type RequestHeaderAuthenticator, unescapeKey } from "./authenticator.ts";
import { type CertificateHolder, ClientCertificates } from "./client-certificate.ts";

export interface RequestHeaderOptions {
  /** The CA bundle of front proxies, in PEM. */
  readonly ca: string;
  /** Common names of front proxies; empty: all that the CA has signed. */
  readonly allowedNames: readonly string[];
  /** Headers; the first one that has a value counts. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** Each line of each of these headers is a group. */
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export function createRequestHeaderAuthenticator(options: RequestHeaderOptions): RequestHeaderAuthenticator {
  const certificates = new ClientCertificates(options.ca);
  const { allowedNames } = options;
  return (socket, rawHeaders) => {
    const certificate = certificates.of(socket);
    if (certificate === undefined || certificate === "refused") return certificate;
    const { commonName } = certificate.name;
    if (allowedNames.length > 0 && !allowedNames.includes(commonName)) return "refused";
    return userIn(headersOf(rawHeaders), options);
  };
}

type Headers = ReadonlyMap<string, readonly string[]>;

/** By lower-case name. */
function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    const values = headers.get(name) ?? [];
    values.push(rawHeaders[at + 1] ?? "");
    headers.set(name, values);
  }
  return headers;
}

function userIn(headers: Headers, options: RequestHeaderOptions): CertificateHolder {
  const linesOf = (name: string): readonly string[] => headers.get(name.toLowerCase()) ?? [];
  const first = (names: readonly string[]): string =>
    names.map((name) => linesOf(name)[0] ?? "").find((value) => value !== "") ?? "";
  const [name, uid] = [first(options.usernameHeaders), first(options.uidHeaders)];
  if (name === "") return undefined;
  const extra = extraIn(headers, options.extraPrefixes);
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: options.groupHeaders.flatMap(linesOf),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

function extraIn(headers: Headers, prefixes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>();
  for (const prefix of prefixes.map((each) => each.toLowerCase())) {
    for (const [name, values] of headers) {
      if (!name.startsWith(prefix)) continue;
      const key = unescapeKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...values]);
    }
  }
  return extra;
}
