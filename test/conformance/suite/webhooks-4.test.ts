import { holdWebhooks } from "../hold-webhooks.ts";

holdWebhooks({ part: 4, of: 4 });
