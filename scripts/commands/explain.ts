import { explain as explainName, renderExplanations } from "../replay/explain.ts";
import { consoleStyle } from "../report/terminal.ts";
import type { CommandEntry } from "./command.ts";

/** `explain ID`: a requirement, a check or a section of the spec, in words. */
export const explain: CommandEntry = (command, io, done) => {
  command
    .argument("<id>", "a requirement, a check, or a section by its key or heading")
    .option("--json", "print JSON on stdout, and nothing else there")
    .action((id: string, { json = false }: { readonly json?: boolean }) => {
      const explanations = explainName(id);
      io.stdout.write(
        json
          ? `${JSON.stringify(explanations, null, 2)}\n`
          : renderExplanations(explanations, consoleStyle(io)),
      );
      done(0);
    });
};
