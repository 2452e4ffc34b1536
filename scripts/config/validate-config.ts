import type { ErrorObject } from "ajv/dist/2020.js";
import { sectionOf } from "../../conformance/requirements/requirement.ts";
import { waiverCovers } from "../../conformance/requirements/verdict.ts";
import { compiledOnce } from "../../conformance/response/body-findings.ts";
import { type Config, config as configSchema, type Waiver } from "../../schemas/contracts/config.ts";
import type { Schema } from "../../schemas/contracts/schema.ts";
import { isObject, stepsOf } from "../../schemas/json.ts";
import { clip } from "../../schemas/words/format.ts";
import { typeName } from "../../schemas/words/values.ts";
import { added } from "../core/added.ts";
import { errorOfMistakes, type ProblemText, UsageError } from "../errors.ts";
import { refuseRemovedSettings } from "../removed.ts";
import { didYouMean } from "./did-you-mean.ts";
import { looksLikeKey, masked } from "./keys.ts";

/** Whether a text is a day of the calendar: Date takes February 30 for March 2. */
function isDate(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

/** The function returns what fits the schema. It throws a UsageError with key, mistake and fix for every mistake. */
export function validatorOf<Value>(schema: Schema<Value>, subject: string) {
  const compiled = compiledOnce(schema, {
    ...{ allErrors: true, verbose: true, allowUnionTypes: true },
    formats: { date: isDate },
  });
  return (value: unknown, file: string): Value => {
    const validate = compiled();
    if (validate(value)) return value;
    const mistakes = (validate.errors ?? []).map(mistakeOf).map(({ key, what, fix }) => {
      return { what, where: key === "" ? file : `${file}, ${key}`, fix };
    });
    throw errorOfMistakes(mistakes, { subject, file });
  };
}

const validated = validatorOf(configSchema, "the configuration");

/**
 * Validates the default export of a config file by `schemas/contracts/config.ts`.
 *
 * @param file Name of the file, for messages.
 * @throws UsageError with key, mistake and fix for every mistake.
 */
export function validateConfig(value: unknown, file: string): Config {
  refuseRemovedSettings(value, file);
  const config = validated(value, file);
  if (config.targets?.embedded === undefined) return config;
  throw new UsageError({
    what: "The target name embedded is reserved for the built-in reference service",
    where: `${file}, targets.embedded`,
    fix: "Choose another name for the target.",
  });
}

/**
 * Checks what the schema of a config cannot: that its waivers name what exists, and each check once.
 *
 * @param file Name of the config file, for messages.
 * @throws UsageError with key, mistake and fix for every mistake.
 */
export async function requireKnownWaivers(waivers: readonly Waiver[], file: string): Promise<void> {
  // Imported late: a config without waivers does not need the suite.
  const { listChecks } = await import("../../conformance/suite/all.ts");
  const ids: readonly string[] = [...new Set(listChecks().flatMap((check) => [check.requirement, check.id]))];
  const isKnown = (id: string) =>
    ids.includes(id) || added.some(({ isWaivable }) => isWaivable?.(id) === true);
  const mistakes = waivers.flatMap(({ id }, at): ProblemText[] => {
    const where = `${file}, waivers[${at}].id`;
    // With two waivers for the same check, it would be unclear which one is stale.
    const covers = (other: Waiver) => waiverCovers(other.id, id) || waiverCovers(id, other.id);
    const earlier = waivers.slice(0, at).find(covers);
    if (earlier !== undefined) {
      const how = earlier.id === id ? "" : `: an entry above waives ${earlier.id}`;
      return [{ what: `${id} is waived twice${how}`, where, fix: "Keep one of the two entries." }];
    }
    if (isKnown(id)) return [];
    const near = ids.filter((one) => sectionOf(one) === sectionOf(id));
    const what = `No check, and no requirement that is judged, has the id ${JSON.stringify(id)}`;
    return [{ what, where, fix: didYouMean(id, near.length === 0 ? ids : near) }];
  });
  if (mistakes.length > 0) throw errorOfMistakes(mistakes, { subject: "the waivers", file });
}

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
}

/** What the schema demands, where the words of ajv are no sentence. Every least length in it is 1. */
const demands: Readonly<Record<string, (params: ErrorObject["params"]) => string>> = {
  type: ({ type }) => `must be ${[type].flat().map(typeName).join(" or ")}`,
  format: ({ format }) => `must be a ${format}`,
  minLength: () => "must not be empty",
  minItems: () => "must not be empty",
  // No value of JSON: a function.
  not: () => "must be a function",
};

/** For an ajv error, with `verbose`. `key`: such as `targets.staging.baseUrl`; empty for the whole file. */
function mistakeOf({ keyword, params, message = "does not fit", ...error }: ErrorObject) {
  const { description, properties = {} } = (error.parentSchema ?? {}) as SchemaNode;
  // As in the file: /targets/staging/baseUrl -> targets.staging.baseUrl
  const key = stepsOf(error.instancePath).reduce(join, "");
  switch (keyword) {
    case "additionalProperties": {
      const name = String(params.additionalProperty);
      return {
        key: looksLikeKey(name) ? key : join(key, name),
        what: `Unknown key ${looksLikeKey(name) ? masked(name) : JSON.stringify(name)}`,
        fix: didYouMean(name, Object.keys(properties)),
      };
    }
    case "required": {
      const name = String(params.missingProperty);
      const fix = `Add it. ${properties[name]?.description ?? ""}`.trim();
      return { key: join(key, name), what: "A key is missing", fix };
    }
    case "enum": {
      const fix = didYouMean(String(error.data), params.allowedValues.map(String));
      return { key, what: `The value is ${shown(error.data)}`, fix };
    }
    default:
      return {
        key,
        what: `The value ${demands[keyword]?.(params) ?? message}; it is ${shown(error.data)}`,
        fix: description ?? "In TypeScript, editors show what belongs here.",
      };
  }
}

function join(path: string, part: string): string {
  if (/^\d+$/.test(part)) return `${path}[${part}]`;
  const quoted = /^[A-Za-z_$][\w$]*$/.test(part) ? part : JSON.stringify(part);
  if (path === "") return quoted;
  return quoted === part ? `${path}.${part}` : `${path}[${quoted}]`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  if (typeof value === "function") return "a function";
  if (typeof value !== "string") return String(value);
  return looksLikeKey(value) ? masked(value) : clip(JSON.stringify(value), 60);
}
