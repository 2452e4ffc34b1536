import { Ajv2020 } from "ajv/dist/2020.js";
import configSchema from "../../schemas/config.schema.json" with { type: "json" };
import dialectSchema from "../../schemas/dialect.schema.json" with { type: "json" };
import profileSchema from "../../schemas/profile.schema.json" with { type: "json" };
import type { Config } from "../../schemas/types.ts";
import { UsageError } from "../errors.ts";
import { type Mistake, mistakeOf } from "./mistakes.ts";

/**
 * Holds what a config file exports against `schemas/config.schema.json`.
 *
 * @param file Name of the file, for the message.
 * @throws UsageError that names the file and, for every mistake, the key, what was expected and the mend.
 */
export function validateConfig(value: unknown, file: string): Config {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, schemas: [dialectSchema, profileSchema] });
  const validate = ajv.compile<Config>(configSchema);
  if (validate(value)) {
    if (value.targets?.embedded !== undefined) throw reserved(file);
    return value;
  }
  const mistakes = (validate.errors ?? []).map(mistakeOf);
  throw usageError(mistakes, file);
}

function reserved(file: string): UsageError {
  return new UsageError({
    what: "The name embedded is taken by the reference service",
    where: `${file}, targets.embedded`,
    mend: "Give the target another name.",
  });
}

function usageError(mistakes: readonly Mistake[], file: string): UsageError {
  const [first] = mistakes;
  if (first !== undefined && mistakes.length === 1) {
    return new UsageError({ what: first.what, where: place(file, first), mend: first.mend });
  }
  const lines = mistakes.map((mistake) => `  ${place(file, mistake)}: ${mistake.what}. ${mistake.mend}`);
  return new UsageError({
    what: `${mistakes.length} mistakes in the configuration`,
    where: file,
    mend: ["Mend each:", ...lines].join("\n"),
  });
}

function place(file: string, { key }: Mistake): string {
  return key === "" ? file : `${file}, ${key}`;
}
