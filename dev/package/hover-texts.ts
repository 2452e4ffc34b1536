import { documentOf, type Keywords, type Schema } from "../../schemas/contracts/schema.ts";

/** Declarations with the description of each field above it, so that the editors of users show it. */
export function withHoverTexts(declarations: string, schemas: Readonly<Record<string, Schema>>): string {
  let defs: Keywords = {};
  /** The schemas that the line is in, outermost first. */
  let within: (Keywords | undefined)[] = [];
  return declarations
    .split("\n")
    .flatMap((line) => {
      const [, name = ""] = /^export declare const (\w+): .*Schema</.exec(line) ?? [];
      const root = schemas[name];
      if (root !== undefined) {
        const document = documentOf(root);
        defs = (document.$defs ?? {}) as Keywords;
        within = [document];
      }
      const [, indent = "", field = ""] = /^( +)(\w+)\??: /.exec(line) ?? [];
      if (field === "") return [line];
      const depth = indent.length / 4;
      const schema = fieldOf(within[depth - 1], field, defs);
      within[depth] = schema;
      const { description } = schema ?? {};
      return typeof description === "string" ? [`${indent}/** ${description} */`, line] : [line];
    })
    .join("\n");
}

/** The schema of a field, also of the objects in a list, or of those under any key. */
function fieldOf(schema: Keywords | undefined, name: string, defs: Keywords): Keywords | undefined {
  if (typeof schema !== "object") return undefined;
  const { $ref, properties, items, additionalProperties } = schema;
  if (typeof $ref === "string") return fieldOf(defs[$ref.replace("#/$defs/", "")] as Keywords, name, defs);
  const own = (properties as Readonly<Record<string, Keywords>> | undefined)?.[name];
  const others = [items, additionalProperties] as (Keywords | undefined)[];
  return own ?? others.map((one) => fieldOf(one, name, defs)).find((found) => found !== undefined);
}
