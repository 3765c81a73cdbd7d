import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("engine", { part: 1, of: 3 }, "etcd");
