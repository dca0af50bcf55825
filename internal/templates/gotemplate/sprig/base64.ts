import type { Budget } from '../budget.ts';
import { chargeText, Failure } from '../functions/define.ts';
import { fromBytes, toBytes } from '../values/text.ts';

const isDigit = (char: string | undefined): boolean => char !== undefined && /^[A-Za-z0-9+/]$/.test(char);

/** The text of a base64 text, in which line breaks do not count. @throws Failure with the byte that is wrong */
export function decodeBase64(text: string, budget: Budget): string {
  chargeText(budget, text.length * 2);
  const bytes = toBytes(text).toString('latin1');
  const wrong = findWrong(bytes);
  if (wrong !== undefined) throw new Failure(`illegal base64 data at input byte ${wrong}`);
  return fromBytes(Buffer.from(bytes, 'base64'));
}

/** The position that Go names for what is no base64. */
function findWrong(bytes: string): number | undefined {
  const isBreak = (at: number) => bytes[at] === '\n' || bytes[at] === '\r';
  let at = 0;
  const next = (): number => {
    while (isBreak(at)) at++;
    return at++;
  };
  for (;;) {
    let digits = 0;
    let last = 0;
    for (; digits < 4; digits++) {
      const here = next();
      if (here >= bytes.length) return digits === 0 ? undefined : bytes.length - digits;
      last = here;
      if (!isDigit(bytes[here])) break;
    }
    if (digits === 4) continue;
    if (bytes[last] !== '=' || digits < 2) return last;
    if (digits === 2) {
      const second = next();
      if (second >= bytes.length) return bytes.length;
      if (bytes[second] !== '=') return second;
    }
    const rest = next();
    return rest < bytes.length ? rest : undefined;
  }
}
