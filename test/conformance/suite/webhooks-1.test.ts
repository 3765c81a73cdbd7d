import { holdWebhooks } from "../hold-webhooks.ts";

holdWebhooks({ part: 1, of: 4 });
