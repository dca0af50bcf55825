/** Functions with random results, whose values can be recorded and given again. */
import { createHash, randomBytes, scryptSync, X509Certificate } from 'node:crypto';
import { isObject, ownMember } from '../../../framework/base/json/json-value.ts';
import {
  type Budget,
  type CallContext,
  certificateIn,
  certificateValue,
  encodeJson,
  type GoFunctions,
  GoInteger,
  int,
  list,
  type Value,
} from '../../gotemplate/index.ts';
import type { RandomValue, RandomValues } from '../render-request.ts';

/** All functions of Helm whose result is another one at each call. Those of time are not among them: they follow the clock. */
export const RANDOM_FUNCTIONS = [
  'bcrypt',
  'encryptAES',
  'genCA',
  'genCAWithKey',
  'genPrivateKey',
  'genSelfSignedCert',
  'genSelfSignedCertWithKey',
  'genSignedCert',
  'genSignedCertWithKey',
  'htpasswd',
  'randAlpha',
  'randAlphaNum',
  'randAscii',
  'randBytes',
  'randInt',
  'randNumeric',
  'shuffle',
  'uuidv4',
] as const;

/** Their arguments are chosen by people: what is recorded must not help to guess them. */
const OF_PASSWORDS: ReadonlySet<string> = new Set(['bcrypt', 'encryptAES', 'htpasswd', 'shuffle']);

/** Of more calls, none is recorded. */
const MAX_VALUES = 2000;

/** The chart makes random values, and it is not known which it made before. */
export class RandomValuesWanted extends Error {}

/**
 * Gives a call of a random function the value that the same call had before: of the same function with the same arguments, in the
 * same template, and the same one of several. So a value follows what it is made of, and nothing else.
 */
export class RandomRecord {
  readonly #before: RandomValues | 'unknown' | undefined;
  readonly #salt: string;
  readonly #values: Record<string, RandomValue> = Object.create(null);
  readonly #calls = new Map<string, number>();
  #made = 0;
  #template = '';

  /** @param before `'unknown'`: the first random call throws RandomValuesWanted; undefined: nothing is recorded */
  constructor(before: RandomValues | 'unknown' | undefined) {
    this.#before = before;
    const salt = typeof before === 'object' ? before.salt : '';
    this.#salt = salt === '' ? randomBytes(16).toString('base64url') : salt;
  }

  /** The template that is executed from now on. */
  begin(template: string): void {
    this.#template = template;
  }

  /** The values of this rendering; undefined: there are none, or too many. */
  made(): RandomValues | undefined {
    if (this.#made === 0 || this.#made > MAX_VALUES) return undefined;
    return { salt: this.#salt, values: { ...this.#values } };
  }

  /** The functions, with recorded ones in place of those that are random. */
  functions(functions: GoFunctions): GoFunctions {
    if (this.#before === undefined) return functions;
    const recorded = RANDOM_FUNCTIONS.flatMap((name) => {
      const original = functions[name];
      if (original === undefined) return [];
      const call = (args: readonly Value[], context: CallContext): Value =>
        this.#call(name, args, context, () => original.call(args, context));
      return [[name, { ...original, call }] as const];
    });
    return { ...functions, ...Object.fromEntries(recorded) };
  }

  #call(name: string, args: readonly Value[], { budget, clock }: CallContext, make: () => Value): Value {
    if (this.#before === 'unknown') throw new RandomValuesWanted('the chart makes random values');
    budget.step(1);
    const call = this.#digest(name, args, budget);
    const count = this.#calls.get(call) ?? 0;
    this.#calls.set(call, count + 1);
    const key = `${call}.${count}`;
    const before = this.#before === undefined ? undefined : ownMember(this.#before.values, key);
    const value = recalled(before, clock.now()) ?? make();
    const recorded = recordedOf(value);
    this.#made++;
    if (recorded !== undefined && this.#made <= MAX_VALUES) this.#values[key] = recorded;
    return value;
  }

  #digest(name: string, args: readonly Value[], budget: Budget): string {
    const call = [this.#template, name, encodeJson(list(args), { escapesHtml: false }, budget)];
    const text = JSON.stringify(call);
    const digest = createHash('sha256').update(this.#salt).update(text).digest();
    if (!OF_PASSWORDS.has(name)) return digest.toString('base64url').slice(0, 22);
    budget.step(200_000);
    return scryptSync(digest, this.#salt, 16).toString('base64url');
  }
}

function recordedOf(value: Value): RandomValue | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof GoInteger) return { int: value.value.toString() };
  return certificateIn(value);
}

/** Undefined for what nobody can use: a value of another form, a certificate that has less than a third of its time left. */
function recalled(recorded: unknown, now: number): Value | undefined {
  if (typeof recorded === 'string') return recorded;
  if (!isObject(recorded)) return undefined;
  const { int: digits, cert, key } = recorded;
  if (typeof digits === 'string' && /^-?\d{1,19}$/.test(digits)) return int(BigInt(digits));
  if (typeof cert !== 'string' || typeof key !== 'string') return undefined;
  return isFresh(cert, now) ? certificateValue({ cert, key }) : undefined;
}

function isFresh(pem: string, now: number): boolean {
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
    return now < from + ((to - from) * 2) / 3;
  } catch {
    return false;
  }
}
