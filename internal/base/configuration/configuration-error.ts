import { InvalidConfigurationError } from '../errors/errors.ts';

/** Where a value is in a file. Line and column count from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A configuration file that cannot be used. It does not pass until the file changes. */
export class ConfigurationError extends InvalidConfigurationError {
  /** Undefined if the file cannot be read at all. */
  readonly location: Location | undefined;

  constructor(where: Location | string, problem: string) {
    const isFile = typeof where === 'string';
    super(`cannot read ${isFile ? where : `${where.file}:${where.line}:${where.column}`}: ${problem}`);
    this.location = isFile ? undefined : where;
  }
}
