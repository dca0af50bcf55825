import { visible } from '../../base/text/redact.ts';
import { string, type TextForm } from '../flag.ts';

export type LogFormat = 'json' | 'text';

const form: TextForm = {
  description: 'json, text or auto',
  accepts: (text) => ['json', 'text', 'auto'].includes(text),
};

/** The flag of programs that log. */
export const logFormatFlag = string(
  'auto',
  form,
  'form of the log: json, or text for people; auto: text on a terminal, else json',
);

/** A line of JSON as people read it: time, level, message, and the other fields as `name=value`; mistakes are lines of their own. */
export function textLine(json: string): string {
  const { time, level, msg, message, mistakes, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const clock = String(time).slice(11, 19);
  const lines = Array.isArray(mistakes) ? mistakes.map((mistake) => `\n  ${visible(String(mistake))}`) : [];
  // What is in lines of their own is not repeated.
  const { error, ...others } = fields;
  const shown = lines.length === 0 && error !== undefined ? `: ${visible(String(error))}` : '';
  const rest = Object.entries(others).map(([name, value]) => ` ${name}=${visible(textOf(value))}`);
  const text = visible(String(msg ?? message));
  return `${clock} ${String(level).toUpperCase().padEnd(5)} ${text}${shown}${rest.join('')}${lines.join('')}\n`;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
