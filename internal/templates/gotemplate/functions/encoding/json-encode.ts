import type { Budget } from '../../budget.ts';
import { formatFloat, SHORTEST } from '../../format/float.ts';
import { toBytes } from '../../values/text.ts';
import { GoInteger, GoMap, type GoObject, GoSlice, sortedKeys, type Value } from '../../values/value.ts';
import { bytesText } from '../convert/cast.ts';
import { chargeText, Failure, TextBuilder } from '../define.ts';
import { versionIn } from '../semver/value.ts';
import { versionText } from '../semver/version.ts';
import { timeIn, timeJson } from '../time/values.ts';

export interface JsonForm {
  /** Whether <, > and & are written as escapes. */
  readonly escapesHtml: boolean;
  /** Of one level. Default: all in one line. */
  readonly indentation?: string;
}

/** JSON as encoding/json writes it. @throws Failure for values that JSON does not have */
export function encodeJson(value: Value, form: JsonForm, budget: Budget): string {
  const encoder = new Encoder(form, budget);
  encoder.write(value, 0);
  return encoder.text();
}

class Encoder {
  private readonly form: JsonForm;
  private readonly budget: Budget;
  private readonly out: TextBuilder;

  constructor(form: JsonForm, budget: Budget) {
    this.form = form;
    this.budget = budget;
    this.out = new TextBuilder(budget);
  }

  text(): string {
    return this.out.toString();
  }

  write(value: Value, depth: number): void {
    this.budget.step();
    this.budget.checkDepth(depth);
    if (value === null || typeof value === 'boolean') this.out.append(String(value));
    else if (typeof value === 'number') this.out.append(numberText(value));
    else if (typeof value === 'string') this.writeText(value);
    else if (value instanceof GoInteger) this.out.append(value.value.toString());
    else if (value instanceof GoSlice) this.writeSlice(value, depth);
    else if (value instanceof GoMap) this.writeMap(value, depth);
    else this.writeObject(value, depth);
  }

  private writeSlice(value: GoSlice, depth: number): void {
    if (value.isNil) this.out.append('null');
    else if (value.elementType === 'uint8') {
      chargeText(this.budget, value.items.length * 2);
      this.out.append(`"${toBytes(bytesText(value)).toString('base64')}"`);
    } else {
      this.writeMembers('[]', value.items, depth, (item) => this.write(item, depth + 1));
    }
  }

  private writeMap(value: GoMap, depth: number): void {
    if (value.isNil) {
      this.out.append('null');
      return;
    }
    const fields = sortedKeys(value).map((key) => [key, value.entries.get(key) ?? null] as const);
    this.writeFields(fields, depth);
  }

  private writeFields(fields: readonly (readonly [string, Value])[], depth: number): void {
    this.writeMembers('{}', fields, depth, ([key, item]) => {
      this.writeText(key);
      this.out.append(this.form.indentation === undefined ? ':' : ': ');
      this.write(item, depth + 1);
    });
  }

  private writeMembers<T>(
    brackets: string,
    members: readonly T[],
    depth: number,
    write: (member: T) => void,
  ): void {
    const [open = '', close = ''] = brackets;
    const { indentation } = this.form;
    const lineBreak = (level: number) => (indentation === undefined ? '' : `\n${indentation.repeat(level)}`);
    this.out.append(open);
    for (const [i, member] of members.entries()) {
      this.out.append((i > 0 ? ',' : '') + lineBreak(depth + 1));
      write(member);
    }
    this.out.append((members.length > 0 ? lineBreak(depth) : '') + close);
  }

  private writeObject(value: GoObject, depth: number): void {
    const time = timeIn(value);
    const version = versionIn(value);
    if (time) this.writeTime(timeJson(time));
    else if (version) this.writeText(versionText(version));
    else if (value.type.json && !value.isNil) this.writeFields(value.type.json(value.content), depth);
    else this.out.append('null');
  }

  private writeTime(text: string): void {
    if (!/^\d{4}-/.test(text)) {
      throw new Failure(
        'json encode error: json: error calling MarshalJSON for type time.Time: Time.MarshalJSON: year outside of range [0,9999]',
        '',
      );
    }
    this.writeText(text);
  }

  private writeText(text: string): void {
    chargeText(this.budget, text.length);
    this.out.append(`"${text.replace(this.form.escapesHtml ? WITH_HTML : WITHOUT_HTML, escapeCharacter)}"`);
  }
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) {
    throw new Failure(`json encode error: json: unsupported value: ${formatFloat(value, 'g', SHORTEST)}`, '');
  }
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Lone surrogates are bytes that are not UTF-8. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const WITHOUT_HTML = /[\0-\x1f"\\\u2028\u2029\ud800-\udfff]/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them.
const WITH_HTML = /[\0-\x1f"\\<>&\u2028\u2029\ud800-\udfff]/gu;

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapeCharacter(char: string): string {
  const code = char.charCodeAt(0);
  if (code >= 0xd800) return '\\ufffd';
  return SHORT_ESCAPES[char] ?? `\\u${code.toString(16).padStart(4, '0')}`;
}
