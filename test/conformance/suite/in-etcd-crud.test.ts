import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("crud", { part: 1, of: 1 }, "etcd");
