/** Splits a request URL into its path, decoded where possible, and its undecoded query. */
export function splitUrl(url: string): [path: string, query: string] {
  const cut = url.indexOf("?");
  const raw = cut < 0 ? url : url.slice(0, cut);
  try {
    return [decodeURIComponent(raw), cut < 0 ? "" : url.slice(cut + 1)];
  } catch {
    return [raw, cut < 0 ? "" : url.slice(cut + 1)];
  }
}
