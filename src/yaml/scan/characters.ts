// Classes of characters, by their codes. YAML 1.1 knows five line breaks.

/** What stands behind the last character; no text holds it. */
export const END = 0;
export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const HASH = 0x23;
export const PERCENT = 0x25;
export const APOSTROPHE = 0x27;
export const QUOTE = 0x22;
export const DASH = 0x2d;
export const DOT = 0x2e;
export const COLON = 0x3a;
export const EXCLAMATION = 0x21;
export const BACKSLASH = 0x5c;
const NEXT_LINE = 0x85;
export const LINE_SEPARATOR = 0x2028;
export const PARAGRAPH_SEPARATOR = 0x2029;

const BLANK = 1;
const BREAK_OR_END = 2;
const FLOW = 4;
const WORD = 8;
const HEX = 16;

/** What each ASCII character is. */
const CLASSES = new Uint8Array(128);
const mark = (characters: string, bit: number): void => {
  for (const character of characters) CLASSES[character.charCodeAt(0)] = (classOf(character) ?? 0) | bit;
};
const classOf = (character: string): number | undefined => CLASSES[character.charCodeAt(0)];
mark(" \t", BLANK);
mark("\r\n\0", BREAK_OR_END);
mark(",?[]{}", FLOW);
mark("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-", WORD);
mark("0123456789ABCDEFabcdef", HEX);

const is = (code: number, bits: number): boolean => code < 128 && ((CLASSES[code] ?? 0) & bits) !== 0;

const isRareBreak = (code: number): boolean =>
  code === NEXT_LINE || code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR;

export const isBlank = (code: number): boolean => code === SPACE || code === TAB;
export const isBreak = (code: number): boolean => code === LF || code === CR || isRareBreak(code);
export const isBreakOrEnd = (code: number): boolean =>
  code < 128 ? is(code, BREAK_OR_END) : isRareBreak(code);
export const isBlankOrEnd = (code: number): boolean =>
  code < 128 ? is(code, BLANK | BREAK_OR_END) : isRareBreak(code);
/** What ends a scalar without quotes within brackets. */
export const isFlowIndicator = (code: number): boolean => is(code, FLOW);
/** What names of anchors, handles of tags and directives are made of. */
export const isWord = (code: number): boolean => is(code, WORD);
export const isHex = (code: number): boolean => is(code, HEX);
export const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
