// Image names as container runtimes parse them: [host[:port]/]path[:tag][@digest].

interface ImageName {
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const WORD = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const TAG = "[\\w][\\w.-]{0,127}";
const DIGEST = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const NAME = new RegExp(`^((?:${HOST}/)?${WORD}(?:/${WORD})*)(?::(${TAG}))?(?:@(${DIGEST}))?$`);

const NAME_LENGTH_MAX = 255;
/** Would be parsed as an image ID. */
const IMAGE_ID = /^[a-f0-9]{64}$/;
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ["sha256", 64],
  ["sha384", 96],
  ["sha512", 128],
]);

/** Undefined for a text that is no image name. */
export function parseImage(text: string): ImageName | undefined {
  if (IMAGE_ID.test(text)) return undefined;
  const [, name = "", tag, digest] = NAME.exec(withHost(text)) ?? [];
  if (name === "" || name.length > NAME_LENGTH_MAX) return undefined;
  if (digest !== undefined && !isKnownDigest(digest)) return undefined;
  return { tag, digest };
}

/** The first path segment is a host only if it looks like one; otherwise the image is on Docker Hub. */
function withHost(text: string): string {
  const slash = text.indexOf("/");
  const first = text.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase();
  return slash > 0 && isHost ? text : `docker.io/${slash < 0 ? "library/" : ""}${text}`;
}

function isKnownDigest(digest: string): boolean {
  const [algorithm = "", hex = ""] = digest.split(":");
  return HEX_DIGITS.get(algorithm) === hex.length && hex === hex.toLowerCase();
}
