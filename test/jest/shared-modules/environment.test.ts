import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import ProcessEnvironment from './environment.ts';

const KEPT = 'SHARED_MODULES_KEPT';
const NEW = 'SHARED_MODULES_NEW';

beforeAll(() => {
  process.env[KEPT] = 'before';
});

afterAll(() => {
  delete process.env[KEPT];
});

test('what a test file changes in the process is undone', async () => {
  const before = { exit: process.exit, exitCode: process.exitCode, Date: globalThis.Date };
  // In the form and order that Node gives them once they were set.
  setDefaultCACertificates(getCACertificates('default'));
  const trusted = getCACertificates('default');
  const environment = new ProcessEnvironment();

  process.env[KEPT] = 'after';
  process.env[NEW] = 'new';
  process.exitCode = 3;
  process.exit = () => {
    throw new Error('refused');
  };
  Object.assign(globalThis, { [NEW]: true, Date: undefined });
  setDefaultCACertificates(trusted.slice(0, 1));
  await environment.teardown();

  expect(process.env[KEPT]).toBe('before');
  expect(NEW in process.env).toBe(false);
  expect(NEW in globalThis).toBe(false);
  expect({ exit: process.exit, exitCode: process.exitCode, Date: globalThis.Date }).toEqual(before);
  expect(getCACertificates('default')).toEqual(trusted);
});
