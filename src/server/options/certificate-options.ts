// The options of a kube-apiserver about certificates: by which clients authenticate, and which the server presents.
import { optionalText } from "./option.ts";

export const CERTIFICATE_OPTIONS = {
  clientCaFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "users: CA bundle of client certificates, in the place of Egret's own CA; the common name is the user, organizations are groups; switches `--secure` on",
  }),
};

export const CERTIFICATE_NAMES = Object.keys(CERTIFICATE_OPTIONS) as (keyof typeof CERTIFICATE_OPTIONS)[];
