/** A step from one version of the schema to the next. Once released it never changes: a correction is another step. */
export interface Migration {
  /** Counted from 1, without gaps. */
  readonly version: number;
  readonly name: string;
  /** Run in one transaction, with the schema of the mothership as the search path. */
  readonly statements: readonly string[];
}
