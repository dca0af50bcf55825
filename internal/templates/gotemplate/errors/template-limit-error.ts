import { ProviderError } from '../../../framework/base/errors/errors.ts';
import type { TemplateLocation } from './template-error.ts';

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
