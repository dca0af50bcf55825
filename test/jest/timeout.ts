import { jest } from '@jest/globals';

/** Generous, since no test measures time by it: a machine with other work to do takes many times as long. */
jest.setTimeout(60_000);
