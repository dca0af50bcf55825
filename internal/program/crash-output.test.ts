import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const MAIN = join(import.meta.dirname, 'main.ts');
const secret = 'abc123opaque';

/** The program, with a fault in its event loop as soon as it handles crashes. */
function crash(fault: string) {
  const preload = `process.on('newListener', (name) => { if (name === 'uncaughtException') setImmediate(() => { ${fault} }); });`;
  const folder = mkdtempSync(join(tmpdir(), 'crash-'));
  const file = join(folder, 'preload.mjs');
  writeFileSync(file, preload);
  const { NODE_COMPILE_CACHE } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', file, MAIN, 'completion', 'bash'],
    { encoding: 'utf8', env: { NODE_COMPILE_CACHE } },
  );
  rmSync(folder, { recursive: true });
  return { status, output: stdout + stderr, stderr };
}

describe('an error that nothing handles ends the program, and its output has no credential', () => {
  test.each([
    ['a thrown error', `throw new Error('refused Authorization: Bearer ${secret}')`],
    ['a rejection', `Promise.reject(new Error('refused "Bearer ${secret}"'))`],
    [
      'a property of an error',
      `throw Object.assign(new Error('refused'), { request: { auth: '${secret}' } })`,
    ],
    ['a cause', `throw new Error('refused', { cause: new Error('Bearer ${secret}') })`],
    ['what is no error', `throw { token: '${secret}' }`],
  ])('%s', (_, fault) => {
    const { status, output, stderr } = crash(fault);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^provider-kyma: uncaught error: /m);
    expect(output).not.toContain(secret);
  });
});
