import packageJson from "../package.json" with { type: "json" };

/** Version of this tool, as its package says. */
export const version: string = packageJson.version;
