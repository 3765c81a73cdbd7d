// Numbers and codes with a form of their own: books, cards, colours, base64.

const ISBN10 = /^(?:[0-9]{9}X|[0-9]{10})$/;
const ISBN13 = /^(?:[0-9]{13})$/;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;
const SSN = /^\d{3}[- ]\d{2}[- ]\d{4}$/;
const COLOR = /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
const CHANNEL = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const RGB = new RegExp(`^rgb\\(\\s*${CHANNEL}\\s*,\\s*${CHANNEL}\\s*,\\s*${CHANNEL}\\s*\\)$`);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

const withoutSeparators = (text: string): string => text.replace(/[\s-]+/g, "");

export function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!ISBN10.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].entries())
    sum += (index + 1) * (digit === "X" ? 10 : Number(digit));
  return sum % 11 === 0;
}

export function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!ISBN13.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].entries()) sum += (index % 2 === 0 ? 1 : 3) * Number(digit);
  return sum % 10 === 0;
}

export const isIsbn = (text: string): boolean => isIsbn10(text) || isIsbn13(text);

/** A card number, whatever stands between its digits, with its check digit. */
export function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

export const isSsn = (text: string): boolean => SSN.test(text);
export const isColor = (text: string): boolean => COLOR.test(text);
export const isRgbColor = (text: string): boolean => RGB.test(text);
export const isBase64 = (text: string): boolean => BASE64.test(text);
