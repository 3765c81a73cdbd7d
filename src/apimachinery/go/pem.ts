// PEM as Go's encoding/pem decodes and encodes it.

interface PemBlock {
  readonly type: string;
  readonly bytes: Buffer;
  /** There are header lines with a colon in front of the content. */
  readonly hasHeaders: boolean;
}

const BEGIN = /^-----BEGIN (.*)-----$/;
const HEADER = /^[^:]+:/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Skips text between blocks, and blocks that are not base64. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  let type: string | undefined;
  let body = "";
  let hasHeaders = false;
  for (const line of text.split("\n").map((item) => item.trimEnd())) {
    const begun = BEGIN.exec(line)?.[1];
    if (begun !== undefined) {
      type = begun;
      body = "";
      hasHeaders = false;
    } else if (type !== undefined && line === `-----END ${type}-----`) {
      if (BASE64.test(body) && body.length % 4 === 0)
        blocks.push({ type, bytes: Buffer.from(body, "base64"), hasHeaders });
      type = undefined;
    } else if (HEADER.test(line)) hasHeaders = true;
    else body += line.trim();
  }
  return blocks;
}

/** Encodes a block as encoding/pem does. */
export function pemText(type: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join("\n")}\n-----END ${type}-----\n`;
}
