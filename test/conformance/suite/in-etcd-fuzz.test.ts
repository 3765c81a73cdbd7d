import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("fuzz", { part: 1, of: 1 }, "etcd");
