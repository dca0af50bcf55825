import { InvalidConfigurationError } from '../errors/errors.ts';

/** Where a value is in a file. Line and column count from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is wrong in configuration. It does not pass until the configuration changes. */
export class ConfigurationError extends InvalidConfigurationError {
  /** Each mistake with its file, line and column; at least one. */
  readonly mistakes: readonly string[];
  /** The page of the documentation that explains the fields; empty: none. */
  readonly page: string;

  constructor(
    mistakes: readonly string[],
    { page = '', ...options }: ErrorOptions & { readonly page?: string } = {},
  ) {
    const see = page === '' ? '' : `; see ${page}`;
    super(
      mistakes.length === 1
        ? `${mistakes[0]}${see}`
        : `${mistakes.length} mistakes in the configuration${see}: ${mistakes.join('; ')}`,
      options,
    );
    this.mistakes = mistakes;
    this.page = page;
  }

  /** A file that cannot be read at all. */
  static unreadable(file: string, problem: string, options?: ErrorOptions): ConfigurationError {
    return new ConfigurationError([`cannot read ${file}: ${problem}`], options);
  }

  /** A value that is wrong or missing. */
  static at({ file, line, column }: Location, problem: string): ConfigurationError {
    return new ConfigurationError([`cannot use ${file}:${line}:${column}: ${problem}`]);
  }
}

/** @throws what `read` throws, with the page that explains the fields */
export async function explainedBy<T>(page: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.mistakes, { page, cause: error.cause });
  }
}
