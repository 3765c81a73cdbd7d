import { holdWebhooks } from "../hold-webhooks.ts";

holdWebhooks({ part: 3, of: 4 });
