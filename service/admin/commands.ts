import type { DatabaseSync } from "node:sqlite";
import { importCatalogue } from "../catalogue/import.ts";
import type { Administration } from "./administration.ts";

/** What a command works with. */
export interface CommandContext {
  readonly administration: Administration;
  readonly database: DatabaseSync;
  /** The command's own arguments, as many as `operands` names. */
  readonly operands: readonly string[];
  readonly name: string | undefined;
  readonly label: string | undefined;
  readonly domains: readonly string[];
}

/** One admin command; returns the text for standard output. */
export interface AdminCommand {
  readonly words: string;
  readonly operands: readonly string[];
  readonly options?: string;
  readonly does: string;
  /** Whether the database may be new. */
  readonly creates?: true;
  run(context: CommandContext): string | Promise<string>;
}

const listed = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

export const adminCommands: readonly AdminCommand[] = [
  {
    words: "import",
    operands: ["FILE"],
    does: "imports a catalogue (NDJSON), all of it or nothing",
    creates: true,
    async run({ database, operands: [file = ""] }) {
      const { retailers, products } = await importCatalogue(database, file);
      return `${retailers} retailers and ${products} products imported\n`;
    },
  },
  {
    words: "organization add",
    operands: ["NAME"],
    does: "adds an organization, without rights and with the terms not accepted",
    run({ administration, operands: [name = ""] }) {
      administration.addOrganization(name);
      return `organization added: accept-terms makes its keys active\n`;
    },
  },
  {
    words: "organization list",
    operands: [],
    does: "lists organizations with their retailers",
    run: ({ administration }) => listed(administration.listOrganizations()),
  },
  {
    words: "accept-terms",
    operands: ["ORGANIZATION"],
    does: "notes that the terms are accepted: the organization's keys become active",
    run({ administration, operands: [organization = ""] }) {
      administration.acceptTerms(organization);
      return "terms accepted\n";
    },
  },
  {
    words: "retailer add",
    operands: ["SLUG"],
    options: "[--name NAME] [--domain HOST]…",
    does: "adds a retailer, or changes name and domains of one",
    run({ administration, operands: [slug = ""], name = slug, domains }) {
      administration.addRetailer(slug, name, domains);
      return "retailer added: grant it to an organization\n";
    },
  },
  {
    words: "retailer disable",
    operands: ["SLUG"],
    does: "takes a retailer away from everybody for a time",
    run({ administration, operands: [slug = ""] }) {
      administration.setDisabled(slug, true);
      return "retailer disabled\n";
    },
  },
  {
    words: "retailer enable",
    operands: ["SLUG"],
    does: "gives it back",
    run({ administration, operands: [slug = ""] }) {
      administration.setDisabled(slug, false);
      return "retailer enabled\n";
    },
  },
  {
    words: "retailer list",
    operands: [],
    does: "lists retailers",
    run: ({ administration }) => listed(administration.listRetailers()),
  },
  {
    words: "grant",
    operands: ["ORGANIZATION", "SLUG"],
    does: "lets an organization use a retailer",
    run({ administration, operands: [organization = "", slug = ""] }) {
      administration.grant(organization, slug);
      return "granted\n";
    },
  },
  {
    words: "revoke",
    operands: ["ORGANIZATION", "SLUG"],
    does: "takes that right away",
    run({ administration, operands: [organization = "", slug = ""] }) {
      administration.revoke(organization, slug);
      return "revoked\n";
    },
  },
  {
    words: "key issue",
    operands: ["ORGANIZATION"],
    options: "[--label TEXT]",
    does: "makes a key and prints it, this one time",
    run({ administration, operands: [organization = ""], label = "issued" }) {
      return `${JSON.stringify(administration.issueKey(organization, label))}\n`;
    },
  },
  {
    words: "key revoke",
    operands: ["ID"],
    does: "makes a key invalid",
    run({ administration, operands: [id = ""] }) {
      administration.revokeKey(Number(id));
      return "key revoked\n";
    },
  },
  {
    words: "key list",
    operands: [],
    does: "lists keys by id and label; the keys themselves are not kept",
    run: ({ administration }) => listed(administration.listKeys()),
  },
];
