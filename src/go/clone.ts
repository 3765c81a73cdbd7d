// strings.Clone: a text that shares no memory with the one it was cut out of. V8 keeps the whole of a text in memory for each
// slice of it, so what outlives a request is cloned.

export const cloneText = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");
