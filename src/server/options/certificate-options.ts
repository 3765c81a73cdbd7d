// The options of a kube-apiserver about certificates: by which clients authenticate, and which the server presents. And the
// modes of authorization that are known.
import { optionalText } from "./option.ts";

export const AUTHORIZATION_MODES = ["AlwaysAllow", "AlwaysDeny", "Node", "RBAC"] as const;

export const CERTIFICATE_OPTIONS = {
  clientCaFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "users: CA bundle of client certificates, in the place of Egret's own CA; the common name is the user, organizations are groups; switches `--secure` on",
  }),
  tlsCertFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "certificate that the server presents, with its chain behind it; needs `--tls-private-key-file`; switches `--secure` on",
  }),
  tlsPrivateKeyFile: optionalText({
    value: "PATH",
    offers: "file",
    text: "key of `--tls-cert-file`",
  }),
  certDir: optionalText({
    value: "DIR",
    offers: "folder",
    text: "folder of the presented certificate without `--tls-cert-file`: `apiserver.crt` and `apiserver.key`, which are made where they are missing; switches `--secure` on",
  }),
};

export const CERTIFICATE_NAMES = Object.keys(CERTIFICATE_OPTIONS) as (keyof typeof CERTIFICATE_OPTIONS)[];
