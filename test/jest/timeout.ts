import { jest } from '@jest/globals';

/** Generous, since no test measures time by it: a busy machine can take many times as long. */
jest.setTimeout(60_000);
