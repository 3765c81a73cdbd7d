import { holdCaseFile } from "../hold-case-file.ts";

holdCaseFile("listwatch", { part: 1, of: 1 }, "etcd");
