import type { GoMap, Value } from '../../gotemplate/index.ts';

/** A place where a value does not fit its schema. */
export interface Problem {
  /** Keys and indexes that lead to the value. */
  readonly path: readonly string[];
  readonly text: string;
}

/** What a schema found out about a value. */
export interface Evaluation {
  readonly problems: Problem[];
  /** Keys and indexes that some keyword looked at, for `unevaluatedProperties` and `unevaluatedItems`. */
  readonly seen: Set<string>;
}

/** A value on its way through a schema. */
export interface Instance {
  readonly value: Value;
  readonly path: readonly string[];
}

/** Evaluates one keyword of a schema, and those that belong to it. */
export type Keyword = (
  argument: Value,
  instance: Instance,
  context: KeywordContext,
  evaluation: Evaluation,
) => void;

export interface KeywordContext {
  /** The schema with the keyword. */
  readonly schema: GoMap;
  /** The draft by year or number: 4, 6, 7, 2019, 2020. */
  readonly draft: number;
  /** Evaluates a value by another schema at the same place of the document. */
  evaluate(schema: Value, instance: Instance): Evaluation;
  /** The schema that a reference means. */
  resolve(reference: string): Value;
  /** Counts work that grows with a value. @throws TemplateLimitError */
  step(count: number): void;
  /** Whether a text has a match of a regular expression. */
  matches(pattern: string, text: string): boolean;
}

/** The drafts with which keywords came. Default: all have it. */
const SINCE: Readonly<Record<string, number>> = {
  const: 6,
  contains: 6,
  propertyNames: 6,
  if: 7,
  dependentRequired: 2019,
  dependentSchemas: 2019,
  unevaluatedItems: 2019,
  unevaluatedProperties: 2019,
  $recursiveRef: 2019,
  prefixItems: 2020,
  $dynamicRef: 2020,
};

/** Whether a draft has a keyword; in an earlier one it has no meaning. */
export const isKeywordOf = (draft: number, name: string): boolean =>
  !Object.hasOwn(SINCE, name) || draft >= (SINCE[name] ?? 0);
