/** Set-up of every test file (jest.config.js): guards watch what the program does, and fail the test in which it errs. */
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { checkGuards, startGuards, stopGuards } from './guards.ts';

beforeAll(startGuards);
afterEach(() => checkGuards(expect.getState().testPath ?? ''));
afterAll(stopGuards);
