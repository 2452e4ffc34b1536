import { type Document, isNode, isSeq, LineCounter, parseDocument, stringify } from "yaml";
import { requirements } from "../../../conformance/requirements/all.ts";
import { sectionOf, sections } from "../../../conformance/requirements/requirement.ts";
import { waiverFor } from "../../../conformance/requirements/verdict.ts";
import { compiledOnce } from "../../../conformance/response/compile-schema.ts";
import { listChecks } from "../../../conformance/suite/all.ts";
import { type Waiver, type Waivers, waivers as waiversSchema } from "../../../schemas/contracts/waivers.ts";
import { stepsOf } from "../../../schemas/json.ts";
import { scenarioIds } from "../../../schemas/scenarios.ts";
import { didYouMean, nearest } from "../../config/did-you-mean.ts";
import { mistakeOf } from "../../config/validate-config.ts";
import { errorOfMistakes, UsageError } from "../../errors.ts";
import { refuseRemovedSettings } from "../../refuse-removed.ts";
import { isDay, type ListedWaiver, waivedThreshold } from "./waiver-states.ts";

/**
 * Parses waivers.
 * @param shown Name of the file in messages.
 * @throws UsageError with file, line, key and fix for every mistake: invalid YAML, a structure that does not fit
 *   `schemas/contracts/waivers.ts`, an unknown id or target, an impossible date, a duplicate.
 */
export function parseWaivers(text: string, shown: string, known: Known): ListedWaiver[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line ?? lines.linePos(error.pos[0]).line;
    throw notYaml(`${shown}, line ${line}`, error);
  }
  const value = contentOf(document, shown);
  refuseRemovedSettings(value, shown);
  const shape = shapeMistakes(value);
  if (shape.length > 0) throw usageError(shape, { document, lines, shown });
  const { waivers } = value as Waivers;
  const mistakes = contentMistakes(waivers, known);
  if (mistakes.length > 0) throw usageError(mistakes, { document, lines, shown });
  return waivers.map((waiver, index) => ({
    waiver,
    where: `${shown}, line ${lineAt(["waivers", index], { document, lines })}`,
  }));
}

function notYaml(where: string, { message }: Error): UsageError {
  return new UsageError({
    what: "The waivers are not valid YAML",
    where,
    // The parser's message ends in a colon, before an excerpt of the file.
    fix: message.split("\n")[0]?.replace(/:$/, ".") ?? "",
  });
}

// All entries may have been removed or commented out.
function contentOf(document: Document, shown: string): unknown {
  const value = plainOf(document, shown);
  if (value === null) return { waivers: [] };
  if (typeof value === "object" && "waivers" in value && value.waivers === null) {
    return { ...value, waivers: [] };
  }
  return value;
}

// Aliases are resolved here. This fails for a missing anchor, and for excessive expansion.
function plainOf(document: Document, shown: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw notYaml(shown, error instanceof Error ? error : new Error(String(error)));
  }
}

interface WaiverSource {
  readonly document: Document;
  readonly lines: LineCounter;
}

function usageError(
  mistakes: readonly WaiverMistake[],
  { shown, ...source }: WaiverSource & { readonly shown: string },
): UsageError {
  const placed = mistakes.map(({ at, what, fix }) => {
    const where = `${shown}, line ${lineAt(at, source)}${keyOf(at)}`;
    return { what, where, fix };
  });
  return errorOfMistakes(placed, { subject: "the waivers", file: shown });
}

function keyOf(at: WaiverMistake["at"]): string {
  const keys = at.filter((part) => typeof part === "string" && part !== "waivers");
  return keys.length === 0 ? "" : `, ${keys.join(".")}`;
}

// A missing key has the line of its parent.
function lineAt(at: WaiverMistake["at"], { document, lines }: WaiverSource): number {
  for (let depth = at.length; depth > 0; depth--) {
    const node: unknown = document.getIn(at.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

const beginning = `# Known failures that the team has accepted temporarily. Each entry: id (a requirement, a check, or a limit on
# load), reason, owner, ticket, expires (its last day, in UTC) and, if it is for some targets only, targets. A run fails when an entry
# has expired, and when what it waives passes: then remove it.
waivers:
`;

/**
 * Adds waivers at the end of waivers.yaml. The rest of the text stays as it is, including comments.
 * @param text Text of the file, which must be valid (see `parseWaivers`), or undefined when there is none.
 */
export function addWaivers(text: string | undefined, added: readonly Waiver[]): string {
  if (text === undefined) return beginning + entriesOf(added, 2);
  const document = parseDocument(text);
  const list = document.get("waivers");
  if (!isSeq(list) || list.flow === true || !list.range || list.items.length === 0) {
    return rebuilt(text, added);
  }
  const [start, end] = list.range;
  const column = start - (text.lastIndexOf("\n", start - 1) + 1);
  const before = text.slice(0, end);
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const entries = entriesOf(added, column).replaceAll("\n", lineEnd);
  return before + (before.endsWith("\n") ? "" : lineEnd) + entries + text.slice(end);
}

function entriesOf(waivers: readonly Waiver[], column: number): string {
  return stringify(waivers, { lineWidth: 0 }).replaceAll(/^(?=.)/gm, " ".repeat(column));
}

// Without a list of waivers, only comments have to be kept.
function rebuilt(text: string, added: readonly Waiver[]): string {
  const document = parseDocument(text);
  const root: unknown = document.toJS();
  if (root === null) {
    const comments = text.trimEnd();
    return `${comments}${comments === "" ? "" : "\n"}waivers:\n${entriesOf(added, 2)}`;
  }
  const there = document.get("waivers");
  const list = isSeq(there) ? there : document.createNode([]);
  if (list !== there) document.set("waivers", list);
  list.flow = false;
  for (const waiver of added) list.add(document.createNode(waiver));
  return document.toString({ lineWidth: 0 });
}

/** A mistake in the waivers. `at` is its path in the file, as keys and indexes. */
interface WaiverMistake {
  readonly at: readonly (string | number)[];
  readonly what: string;
  readonly fix: string;
}

/** Names that a waiver may use besides requirements and checks. */
interface Known {
  readonly targets: readonly string[];
}

const compiled = compiledOnce(waiversSchema, {
  allErrors: true,
  verbose: true,
});

/** Mistakes in the structure of the waivers: where they do not fit their schema. */
function shapeMistakes(value: unknown): WaiverMistake[] {
  const validate = compiled();
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => {
    const at = stepsOf(error.instancePath).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const { what, fix } = mistakeOf(error);
    if (error.keyword === "additionalProperties") {
      return { at: [...at, String(error.params.additionalProperty)], what, fix };
    }
    if (error.keyword === "required") {
      return { at, what: `The key ${error.params.missingProperty} is missing`, fix };
    }
    if (error.keyword === "pattern") return { at, what, fix: howToWriteDays };
    const unquoted = error.keyword === "type" && typeof error.data === "number";
    return { at, what, fix: unquoted ? `${fix} Put it in quotes.` : fix };
  });
}

const howToWriteDays = 'Expected a date such as "2026-12-31": the last day of the waiver, in UTC.';

/** Mistakes in waivers that fit their schema: unknown ids and targets, blank texts, impossible dates, duplicates. */
function contentMistakes(waivers: readonly Waiver[], known: Known): WaiverMistake[] {
  return waivers.flatMap((waiver, index) => [
    ...idMistakes(waiver, ["waivers", index, "id"]),
    ...blankMistakes(waiver, index),
    ...(isDay(waiver.expires)
      ? []
      : [
          {
            at: ["waivers", index, "expires"],
            what: `The date ${waiver.expires} does not exist`,
            fix: howToWriteDays,
          },
        ]),
    ...(waiver.targets ?? []).flatMap((target, place) =>
      targetMistakes(target, known, ["waivers", index, "targets", place]),
    ),
    ...duplicateMistakes(waiver, waivers.slice(0, index), ["waivers", index, "id"]),
  ]);
}

function blankMistakes(waiver: Waiver, index: number): WaiverMistake[] {
  const keys = ["reason", "owner", "ticket"] as const;
  return keys
    .filter((key) => waiver[key].trim() === "")
    .map((key) => ({
      at: ["waivers", index, key],
      what: `The ${key} is blank`,
      fix: "Enter the reason of the waiver, the owner, and the ticket that tracks the fix.",
    }));
}

function idMistakes({ id }: Waiver, at: WaiverMistake["at"]): WaiverMistake[] {
  const checks = listChecks();
  if (checks.some((check) => check.id === id || check.requirement === id)) return [];
  if (waivedThreshold(id) !== undefined) return [];
  if (id.startsWith("load.")) {
    const what = `${JSON.stringify(id)} is not a limit on load that can be waived`;
    const fix = `Expected load.<scenario>/<metric>, such as load.lookup/invalid_responses{name:lookup-by-id}, with a scenario (${scenarioIds.join(", ")}) and a metric that limits the target.`;
    return [{ at, what, fix }];
  }
  if (id in sections) {
    const what = `${JSON.stringify(id)} is a section of the spec`;
    return [{ at, what, fix: "Waive its requirements or checks one by one; a section is too broad." }];
  }
  if (requirements.some((one) => one.id === id)) {
    const what = `No check judges the requirement ${id}`;
    return [{ at, what, fix: "Remove the waiver: there is nothing to waive." }];
  }
  const ids = [...new Set(checks.flatMap((check) => [check.requirement, check.id]))];
  const near = ids.filter((one) => sectionOf(one) === sectionOf(id));
  const isFar = near.length === 0 && nearest(id, ids) === undefined;
  return [
    {
      at,
      what: `No requirement or check has the id ${JSON.stringify(id)}`,
      fix: isFar
        ? "To list all: npx shelfcheck conformance --plan"
        : didYouMean(id, near.length === 0 ? ids : near),
    },
  ];
}

// A target without a name is identified by its host, which is in no file and cannot be checked.
function targetMistakes(target: string, known: Known, at: WaiverMistake["at"]): WaiverMistake[] {
  if (known.targets.includes(target) || /[.:]/.test(target)) return [];
  return [
    { at, what: `There is no target ${JSON.stringify(target)}`, fix: didYouMean(target, known.targets) },
  ];
}

// With two waivers for the same check, it would be unclear which one is stale.
function duplicateMistakes(
  waiver: Waiver,
  before: readonly Waiver[],
  at: WaiverMistake["at"],
): WaiverMistake[] {
  const covered = listChecks().filter(({ id }) => waiverFor(id, [waiver]) !== undefined);
  const twin = before.find(
    (other) =>
      shareTarget(waiver, other) &&
      (other.id === waiver.id || covered.some(({ id }) => waiverFor(id, [other]) !== undefined)),
  );
  if (twin === undefined) return [];
  const what =
    twin.id === waiver.id
      ? `${waiver.id} is waived twice`
      : `${waiver.id} is waived twice: an entry above waives ${twin.id}`;
  return [{ at, what, fix: "Keep one of the two entries, or give them different targets." }];
}

function shareTarget({ targets: some }: Waiver, { targets: others }: Waiver): boolean {
  return some === undefined || others === undefined || some.some((target) => others.includes(target));
}
