// url() and its parts.

import { hostnameOf, parseUrl, portOf, queryOf, requestUriProblem, type Url } from "../../../go/url.ts";
import { type FunctionDecl, global, member } from "../../language/overload.ts";
import { BOOL, type CelType, listOf, mapOf, STRING, struct } from "../../language/types.ts";
import { CelError } from "../../values/cel-error.ts";
import { ArrayList, EntryMap } from "../../values/collections.ts";
import type { OpaqueValue, Value } from "../../values/value.ts";
import { instanceAt, Opaque, textAt } from "../args.ts";

const URL_TYPE = struct("kubernetes.URL");

class UrlValue extends Opaque {
  readonly celType: CelType = URL_TYPE;
  readonly url: Url;
  constructor(url: Url) {
    super();
    this.url = url;
  }
  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && this.url.text === other.url.text;
  }
}

function toUrl(args: readonly Value[]): Value {
  const found = parseUrl(textAt(args, 0));
  if (typeof found === "string") {
    throw new CelError(`URL parse error during conversion from string: ${found}`);
  }
  return new UrlValue(found);
}

function queryMap(url: Url): Value {
  const map = new EntryMap();
  for (const [key, values] of queryOf(url)) map.insert(key, new ArrayList(values));
  return map;
}

function part(name: string, id: string, type: CelType, take: (url: Url) => Value): FunctionDecl {
  const run = (args: readonly Value[]): Value => take(instanceAt(args, 0, UrlValue).url);
  return { name, overloads: [member(`url_get_${id}`, [URL_TYPE], type, run)] };
}

export function urlFunctions(): FunctionDecl[] {
  const isUrl = (args: readonly Value[]): Value => requestUriProblem(textAt(args, 0)) === undefined;
  return [
    { name: "url", overloads: [global("string_to_url", [STRING], URL_TYPE, toUrl)] },
    { name: "isURL", overloads: [global("is_url_string", [STRING], BOOL, isUrl)] },
    part("getScheme", "scheme", STRING, ({ scheme }) => scheme),
    part("getHost", "host", STRING, ({ host }) => host),
    part("getHostname", "hostname", STRING, hostnameOf),
    part("getPort", "port", STRING, portOf),
    part("getEscapedPath", "escaped_path", STRING, ({ escapedPath }) => escapedPath),
    part("getQuery", "query", mapOf(STRING, listOf(STRING)), queryMap),
  ];
}
