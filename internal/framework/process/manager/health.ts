import { messageOf } from '../../base/errors/errors.ts';
import type { Page } from '../server/page.ts';
import { type Pages, textPage } from '../server/pages.ts';

/** A check: throws or rejects with the cause of a failure, or returns a remark for the page. Must be fast. */
// biome-ignore lint/suspicious/noConfusingVoidType: most checks return nothing.
export type HealthCheck = () => string | void | Promise<string | void>;

/** Runs every check and shows one line for each, as API servers do: 200 if all pass, else 500. */
export async function healthPage(name: string, checks: ReadonlyMap<string, HealthCheck>): Promise<Page> {
  const results = await Promise.all(
    [...checks].map(async ([check, run]) => {
      try {
        const remark = await run();
        return { ok: true, line: `[+]${check} ok${remark === undefined ? '' : `: ${remark}`}` };
      } catch (error) {
        return { ok: false, line: `[-]${check} failed: ${messageOf(error)}` };
      }
    }),
  );
  const ok = results.every((result) => result.ok);
  const lines = [...results.map((result) => result.line), `${name} check ${ok ? 'passed' : 'failed'}`];
  return textPage(ok ? 200 : 500, `${lines.join('\n')}\n`);
}

/** `/readyz` with all checks, and `/readyz/<check>` with one, as API servers have them. */
export function healthPages(name: string, checks: ReadonlyMap<string, HealthCheck>): Pages {
  return {
    [`/${name}`]: () => healthPage(name, checks),
    [`/${name}/*`]: (check) => {
      const run = checks.get(check);
      return run === undefined ? textPage(404, 'not found\n') : healthPage(name, new Map([[check, run]]));
    },
  };
}
