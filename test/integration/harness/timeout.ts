import { jest } from '@jest/globals';

/** Real processes on a busy machine; a namespace alone takes five seconds to go. */
jest.setTimeout(300_000);
