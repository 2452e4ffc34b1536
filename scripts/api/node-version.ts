import { UsageError } from "../errors.ts";

/** The oldest major version of Node that works, as in `engines` of package.json. */
const least = 24;

/** @throws UsageError for an older Node, which would end with a SyntaxError at the import of the rest. */
export function requireNode(version: string): void {
  if (Number.parseInt(version, 10) >= least) return;
  throw new UsageError({
    what: `shelfcheck needs Node ${least} or newer`,
    where: `Node ${version}`,
    fix: `Install a newer Node (https://nodejs.org). Or install one for this project only (npm install -D node@${least}), and run the program with npx node.`,
  });
}
