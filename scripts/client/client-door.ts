import { type ClientCode, clientWords } from "../../clients/contract/client-words.ts";
import type { WordsTable } from "../../schemas/words/index.ts";
import { door } from "../cli/commands/command.ts";
import { clientReport } from "./client-report.ts";

/** `client`: what a client sends to the reference service. */
export const client = door(
  {
    name: "client",
    words: clientWords as WordsTable<ClientCode>,
    own: { isOf: "a client", report: clientReport },
    names: `bad-gateway client-failed closed-idle fields-added fields-omitted
      gateway-timeout keep-looking-up lasting-failure list-retailers message-changed
      not-started page-empty page-short processes retailer-left retailers-changed search-retailers sentence
      situation situations still-limited tasks-not-done time-over timeline too-long too-many-requests wait-twice`,
  },
  {
    commands: {
      client: {
        summary: "watch a client on the built-in reference service, and judge what it sends",
        load: async () => (await import("./client-command.ts")).client,
      },
    },
    adds: {
      // With how a requirement on clients is judged.
      explain: async () => {
        const { observations } = await import("../../clients/observations/observations.ts");
        const explains = (id: string) => {
          const own = observations
            .filter((one) => one.id.startsWith(`${id}/`))
            .map(({ title }) => `${title}.`);
          return own.length === 0 ? [] : ["Judged by `shelfcheck client`:", ...own];
        };
        return { explains };
      },
    },
  },
);
