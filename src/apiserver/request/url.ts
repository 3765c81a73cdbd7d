/** The path of a request's URL, decoded if it can be, and the query as it was sent. */
export function splitUrl(url: string): [path: string, query: string] {
  const cut = url.indexOf("?");
  const raw = cut < 0 ? url : url.slice(0, cut);
  try {
    return [decodeURIComponent(raw), cut < 0 ? "" : url.slice(cut + 1)];
  } catch {
    return [raw, cut < 0 ? "" : url.slice(cut + 1)];
  }
}
