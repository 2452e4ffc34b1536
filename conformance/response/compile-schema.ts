import { Ajv2020, type AnySchemaObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { documentOf, type Schema } from "../../schemas/contracts/schema.ts";

// A run validates little with each schema, so code that is made faster saves more than faster code.
const compiledQuickly: Options = { inlineRefs: false, allowUnionTypes: true, code: { optimize: false } };

/**
 * Makes a function that returns the compiled schema. Compiling takes longer than validating, so it is done once, when it is
 * first needed. The schema itself is not validated: that would first compile the schema of JSON Schema, which takes longer
 * than everything else here. The tests validate all schemas.
 * @throws Error from the returned function if the schema uses an unknown keyword or format.
 */
export function compiledOnce<Value>(schema: Schema<Value>, options: Options): () => ValidateFunction<Value> {
  let validate: ValidateFunction<Value> | undefined;
  return () => {
    validate ??= withOptionsCompiledLate({
      ...compiledQuickly,
      ...options,
      meta: false,
      validateSchema: false,
    }).compile<Value>(documentOf(schema));
    return validate;
  };
}

/** Compiles the options of `oneOf` when a value first needs them: a run has few of the nearly 200 codes of findings. */
function withOptionsCompiledLate(options: Options): Ajv2020 {
  const ajv = new Ajv2020(options);
  ajv.addKeyword("discriminator");
  ajv.removeKeyword("oneOf");
  ajv.addKeyword({
    keyword: "oneOf",
    schemaType: "array",
    error: { message: "must be one of several forms" },
    compile(forms: readonly AnySchemaObject[], { discriminator }: AnySchemaObject, { schemaEnv: { root } }) {
      const { $defs } = root.schema as AnySchemaObject;
      const compiled = new Map<AnySchemaObject, ValidateFunction>();
      const accepts = (form: AnySchemaObject, data: unknown): boolean => {
        const validate = compiled.get(form) ?? ajv.compile({ $defs, ...form });
        compiled.set(form, validate);
        return validate(data) === true;
      };
      return (data: Record<string, unknown>) => {
        const tag: string | undefined = discriminator?.propertyName;
        const candidates =
          tag === undefined ? forms : forms.filter(({ properties }) => properties[tag].const === data[tag]);
        return candidates.filter((form) => accepts(form, data)).length === 1;
      };
    },
  });
  return ajv;
}
