/** An authority that is there but cannot be used, in one line for whoever started the server. */
export class TlsError extends Error {}
