import { ProviderError } from '../../framework/base/errors/errors.ts';

/** A name that does not exist, with those that do, for hints. */
export interface MissingName {
  readonly name: string;
  readonly available: readonly string[];
}

/** The template cannot be parsed. The message is the one of Go, and quotes only the template. */
export class TemplateParseError extends ProviderError {
  readonly line: number;
  /** The message without its location. */
  readonly detail: string;
  /** Set if a function is not defined. */
  readonly missing: MissingName | undefined;

  constructor(name: string, line: number, detail: string, missing?: MissingName) {
    super('terminal', `template: ${name}:${line}: ${detail}`);
    this.line = line;
    this.detail = detail;
    this.missing = missing;
  }
}

/** Where in a template an execution was. */
export interface TemplateLocation {
  /** Name of the template text. */
  readonly name: string;
  readonly line: number;
  /** In bytes from the start of the line; the first is 0, as Go counts. */
  readonly column: number;
  /** Name of the template that was executed: the text's, or one of a `define`. */
  readonly executing: string;
  /** The part of the template, as text. */
  readonly context: string;
  /** All of it as the beginning of a message: `template: t:1:3: executing "t" at <.x>: `. */
  readonly text: string;
}

export interface ExecErrorOptions extends ErrorOptions {
  /** The detail without data, if the detail quotes data. Default: the detail. */
  readonly safeDetail?: string;
  /** Set if a key of a map is missing. */
  readonly missing?: MissingName;
}

/**
 * The execution of a template failed. The message is the one of Go. It may quote the data, which has credentials: a message
 * that leaves the process is `safeMessage`, or the caller redacts `detail`.
 */
export class TemplateExecError extends ProviderError {
  readonly location: TemplateLocation;
  /** The message without its location. */
  readonly detail: string;
  /** The detail without data. */
  readonly safeDetail: string;
  readonly missing: MissingName | undefined;

  constructor(location: TemplateLocation, detail: string, options: ExecErrorOptions = {}) {
    super('terminal', location.text + detail, options);
    this.location = location;
    this.detail = detail;
    this.safeDetail = options.safeDetail ?? detail;
    this.missing = options.missing;
  }

  /** Whether the message may quote the data. */
  get quotesData(): boolean {
    return this.safeDetail !== this.detail;
  }

  /** The message without data: only the template is quoted. */
  get safeMessage(): string {
    return this.quotesData ? this.location.text + this.safeDetail : this.message;
  }
}

/** Which limit of an execution was exceeded. */
export type TemplateLimit = 'source' | 'output' | 'memory' | 'steps' | 'time' | 'depth';

const DESCRIPTIONS: Record<TemplateLimit, (value: number) => string> = {
  source: (bytes) => `the template is longer than ${bytes} bytes`,
  output: (bytes) => `the output is longer than ${bytes} bytes`,
  memory: (bytes) => `the template needs more than ${bytes} bytes of memory`,
  steps: (steps) => `the template takes more than ${steps} steps`,
  time: (ms) => `the template takes longer than ${ms} ms`,
  depth: (depth) => `the template or a value is nested deeper than ${depth} levels`,
};

/** A template exceeded a limit. Terminal, except for the time, which also depends on the load of the machine. */
export class TemplateLimitError extends ProviderError {
  readonly limit: TemplateLimit;
  readonly value: number;
  /** Undefined before the execution has begun. */
  readonly location: TemplateLocation | undefined;

  /** @param place the name of the template, before it is executed */
  constructor(limit: TemplateLimit, value: number, place?: TemplateLocation | string) {
    const where = typeof place === 'object' ? `${place.name}:${place.line}:${place.column}` : place;
    const start = where === undefined ? '' : `template: ${where}: `;
    super(limit === 'time' ? 'transient' : 'terminal', `${start}${DESCRIPTIONS[limit](value)}`);
    this.limit = limit;
    this.value = value;
    this.location = typeof place === 'object' ? place : undefined;
  }

  /** The same with a location. */
  at(location: TemplateLocation): TemplateLimitError {
    return this.location ? this : new TemplateLimitError(this.limit, this.value, location);
  }
}
