// DER and PEM of certificate signing requests. Invalid ones return the reason as text.

import { pemBlocks } from "../../../../src/apimachinery/go/pem.ts";
import { parseCertificateRequest } from "../../../../src/apimachinery/go/x509/certificate-request.ts";
import { mustHold, type ParserTarget } from "../target.ts";

/** Requests of system:node:a, with alternative names: keys of P-256, Ed25519 and RSA. */
const REQUESTS = [
  "MIIBEDCBtgIBADAvMRYwFAYDVQQDDA1zeXN0ZW06bm9kZTphMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMwWTATBgcqhkjOPQIB" +
    "BggqhkjOPQMBBwNCAARco1xHoVN3qCFeSgBQzLdqVsnKBb5MDdOE/nozZwrRTtsSTNSyBUk8Qhq2dQvH58rkWbKX4//fDUbk" +
    "9gLKFYqDoCUwIwYJKoZIhvcNAQkOMRYwFDASBgNVHREECzAJggFhhwR/AAABMAoGCCqGSM49BAMCA0kAMEYCIQDkFjkPKObp" +
    "Mi4ONm8PnsIwqwSFaCG2l8X1Ctshx9zx8gIhANTMUwkSIPrkhj1to3OdIhyC8ZnQb2+jCcwI7cE0LriQ",
  "MIHUMIGHAgEAMC8xFjAUBgNVBAMMDXN5c3RlbTpub2RlOmExFTATBgNVBAoMDHN5c3RlbTpub2RlczAqMAUGAytlcAMhACDQ" +
    "JIh/RjVLkZOpEDHEi38oRpJjgWwkLXSnLvTkcnMwoCUwIwYJKoZIhvcNAQkOMRYwFDASBgNVHREECzAJggFhhwR/AAABMAUG" +
    "AytlcANBAN1bSFrgR9xEfdZv5jFBmqqzFWTl2g3nQDVIhVg7QzcNc3hOXkgDlX55kfd8Rb+N14dGGDB+yAS0cu8WUpI7BQg=",
  "MIIBkzCB/QIBADAvMRYwFAYDVQQDDA1zeXN0ZW06bm9kZTphMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMwgZ8wDQYJKoZIhvcN" +
    "AQEBBQADgY0AMIGJAoGBAMGugpc7Vksx04JdN6UaWqHY4ZGGu2h5sAI1DMITW5FZv0BFeot3AvUY4hoUmDA8tDRodAzl32Q+" +
    "sEQdeXt2FW47Ne8weDRN3Rid2DBnEZiZc4EogvwkPI+LcNkS7nG3J4I5P5ACa5//xJi5Y8wsBbg4SgQoC9rzJRQpbBm0DPsZ" +
    "AgMBAAGgJTAjBgkqhkiG9w0BCQ4xFjAUMBIGA1UdEQQLMAmCAWGHBH8AAAEwDQYJKoZIhvcNAQELBQADgYEAPa9u4YDTJysA" +
    "LlvRPRREdq5j2T68Qa9sgBdvKNHzXA9SB/56cBTYeYKY7IzE5msMj7EFnmvha1Q+tcVgog289y5yohSYm8Aq8BvLp1ZFfCQL" +
    "tucAOdM8A7N1IFWkzz1nF7mcEAnyT3o4G3WanEjfrizBBomqhCO9+qNF0GwM0m4=",
];

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE REQUEST-----\n`;

export const DER_TARGET: ParserTarget = {
  seeds: () => REQUESTS.map((text) => Buffer.from(text, "base64")),
  tokens: [
    "\x30\x80",
    "\x30\x84\xff\xff\xff\xff",
    "\x30\x82",
    "\xa0",
    "\x06\x01",
    "\x03\x02\x00",
    "\x02\x01",
    "\x1f\xff",
  ],
  run(input) {
    const found = parseCertificateRequest(pemOf(input));
    mustHold(typeof found !== "string" || found.length < 500, "what is wrong is described shortly");
  },
  isExpected: () => false,
};

export const PEM_TARGET: ParserTarget = {
  seeds: () => REQUESTS.map((text) => Buffer.from(pemOf(Buffer.from(text, "base64")))),
  tokens: ["-----BEGIN ", "-----END ", "-----", "\n", "\r\n", "A: b\n", "CERTIFICATE REQUEST", "=", "  "],
  run(input) {
    parseCertificateRequest(input.toString("latin1"));
    pemBlocks(input.toString("latin1"));
  },
  isExpected: () => false,
};
