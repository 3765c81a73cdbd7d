import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("patch", { part: 1, of: 1 }, "etcd");
