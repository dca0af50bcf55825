import { acceptOuterErrors } from './outer-errors.ts';

acceptOuterErrors(globalThis);
