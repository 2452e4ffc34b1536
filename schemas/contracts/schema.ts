// JSON Schemas as values that carry the type of what they accept: one source for types and validation.
// TypeBox has the same idea, but takes a third of a second to load, which each short command would pay.

declare const accepted: unique symbol;

export interface Keywords {
  readonly [keyword: string]: unknown;
}

/** A JSON Schema of values of a type. */
export interface Schema<Value = unknown> extends Keywords {
  readonly [accepted]?: Value;
}

/** The type of the values that a schema accepts. */
export type Static<S> = S extends { readonly [accepted]?: infer Value } ? Value : never;

/** A description, further keywords, or both. */
type Annotations = readonly (string | Keywords)[];

function schema<Value>(keywords: Keywords, about: Annotations): Schema<Value> {
  return Object.assign(
    {},
    ...about.map((one) => (typeof one === "string" ? { description: one } : one)),
    keywords,
  );
}

function maker<Value>(keywords: Keywords) {
  return (...about: Annotations): Schema<Value> => schema(keywords, about);
}

export const string = maker<string>({ type: "string" });
export const filled = maker<string>({ type: "string", minLength: 1 });
export const number = maker<number>({ type: "number" });
export const amount = maker<number>({ type: "number", minimum: 0 });
export const positive = maker<number>({ type: "number", exclusiveMinimum: 0 });
export const integer = maker<number>({ type: "integer" });
export const positiveInteger = maker<number>({ type: "integer", minimum: 1 });
export const count = maker<number>({ type: "integer", minimum: 0 });
export const boolean = maker<boolean>({ type: "boolean" });

export function choice<const Value extends string | number>(
  values: readonly Value[],
  ...about: Annotations
): Schema<Value> {
  return schema({ enum: values }, about);
}

/** The values of a schema with one type, and null. */
export function nullable<Value>(one: Schema<Value>): Schema<Value | null> {
  return { ...one, type: [one.type, "null"] };
}

/** A schema that no function here makes; the type says what it accepts. */
export function custom<Value>(keywords: Keywords): Schema<Value> {
  return keywords;
}

export function array<Item>(items: Schema<Item>, ...about: Annotations): Schema<Item[]> {
  return schema({ type: "array", items }, about);
}

/** An object with any keys. */
export function mapOf<Value>(values: Schema<Value>, ...about: Annotations): Schema<Record<string, Value>> {
  return schema({ type: "object", additionalProperties: values }, about);
}

/** By name. With a question mark, a field may be omitted, never undefined: spread over defaults, it would hide one. */
interface Fields {
  readonly [name: string]: Schema;
}

type Flat<T> = { [K in keyof T]: T[K] };
/** The type of an object with these fields. */
type ValueOf<F extends Fields> = Flat<
  { [K in keyof F as K extends `${string}?` ? never : K]: Static<F[K]> } & {
    [K in keyof F as K extends `${infer Name}?` ? Name : never]?: Static<F[K]>;
  }
>;

function keywordsOf(fields: Fields): Keywords {
  const required = Object.keys(fields).filter((name) => !name.endsWith("?"));
  const properties = Object.entries(fields).map(([name, field]) => [name.replace("?", ""), field]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** An object with these fields and no others. */
export function object<F extends Fields>(fields: F, ...about: Annotations): Schema<ValueOf<F>> {
  return schema({ ...keywordsOf(fields), additionalProperties: false }, about);
}

/** An object with these fields; any others may have any value. */
export function openObject<F extends Fields>(
  fields: F,
  ...about: Annotations
): Schema<Flat<ValueOf<F> & Record<string, unknown>>> {
  return schema(keywordsOf(fields), about);
}

/** Like openObject, with fields each of which may be omitted. */
export function partial<F extends Fields>(
  fields: F,
  ...about: Annotations
): Schema<Flat<Partial<ValueOf<F>> & Record<string, unknown>>> {
  return schema({ ...keywordsOf(fields), required: [] }, about);
}
