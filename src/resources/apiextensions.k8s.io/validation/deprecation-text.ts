// The text that a deprecated version answers with: it goes into a Warning header.

const TEXT_BYTES_MAX = 256;
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** What is wrong with a deprecationWarning. */
export function deprecationWarningComplaints(deprecated: boolean, text: unknown): string[] {
  if (typeof text !== "string") return [];
  if (!deprecated) return ["can only be set for deprecated versions"];
  const complaints: string[] = [];
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) {
    complaints.push(`must be <= ${TEXT_BYTES_MAX} characters long`);
  }
  if (text === "") complaints.push("must not be an empty string");
  const found = UNPRINTABLE.exec(text);
  if (found) {
    const index = Buffer.byteLength(text.slice(0, found.index));
    complaints.push(
      `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
    );
  }
  return complaints;
}
